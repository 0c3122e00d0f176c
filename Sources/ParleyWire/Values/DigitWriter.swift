/// Writes fixed-width decimal numbers into a buffer that is large enough for all of them.
struct DigitWriter {
    let text: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(text: UnsafeMutableBufferPointer<UInt8>) {
        self.text = text
    }

    mutating func put(_ number: Int64, width: Int, then separator: Unicode.Scalar) {
        var rest = number
        for index in stride(from: count + width - 1, through: count, by: -1) {
            text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        text[count + width] = UInt8(ascii: separator)
        count += width + 1
    }
}
