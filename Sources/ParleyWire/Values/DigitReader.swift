/// Reads the parts of a time from UTF-8, strictly.
struct DigitReader<Text: Collection> where Text.Element == UInt8 {
    private var rest: Text.SubSequence

    init(_ text: Text) {
        rest = text[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number(width: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: scalar) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// An optional fraction of a second with one to nine digits.
    mutating func milliseconds() -> Int64? {
        guard skip(".") else { return 0 }
        var value: Int64 = 0
        var count = 0
        while let digit = digit() {
            guard count < 9 else { return nil }
            if count < 3 { value = value * 10 + digit }
            count += 1
        }
        switch count {
        case 0: return nil
        case 1: return value * 100
        case 2: return value * 10
        default: return value
        }
    }

    /// `Z`, `+hh:mm` or `-hh:mm`.
    mutating func offsetMinutes() -> Int64? {
        if skip("Z") { return 0 }
        let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard skip("+") || skip("-"),
            let hours = number(width: 2), hours < 24, skip(":"),
            let minutes = number(width: 2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }

    private mutating func digit() -> Int64? {
        guard let unit = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(unit) else { return nil }
        rest = rest.dropFirst()
        return Int64(unit - UInt8(ascii: "0"))
    }
}
