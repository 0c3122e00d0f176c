import Glibc

/// Reads server-sent events without parsing what they say: which message, by the number in its text, whether the stream is
/// ready, and its cursor.
struct StreamScanner {
    struct TooLarge: Error {}

    private enum Kind {
        case message
        case ready
        case presence
        case typing
        case other
    }

    private static let longestLine = 16 << 20

    /// What stands before a message's number.
    private let mark: UInt8
    /// The beginning of a line whose end has not come yet.
    private var carry: [UInt8] = []
    private var kind = Kind.other
    private var cursorBytes: [UInt8] = []

    /// Messages so far, numbered or not.
    private(set) var messages = 0
    /// Whether everything missed has been sent.
    private(set) var isReady = false
    /// How often somebody's presence was told.
    private(set) var presences = 0
    /// Who was told to be there, by a hash of the id.
    private(set) var present: Set<Int> = []
    /// How often it was told that somebody is typing, or has stopped.
    private(set) var typings = 0
    /// Where a stream goes on that follows this one.
    var cursor: String { String(decoding: cursorBytes, as: UTF8.self) }

    init(mark: String = Crowd.mark) {
        self.mark = mark.utf8.first ?? 0
    }

    /// - Parameter onMessage: gets the numbers of messages, as ``RequestTemplate`` counted them.
    mutating func feed(_ bytes: UnsafeRawBufferPointer, _ onMessage: (Int) -> Void = { _ in }) throws {
        var start = 0
        while let base = bytes.baseAddress, let feed = memchr(base + start, 0x0A, bytes.count - start) {
            let end = UnsafeRawPointer(feed) - base
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            if carry.isEmpty {
                take(line, onMessage)
            } else {
                carry.append(contentsOf: line)
                let whole = carry
                carry.removeAll(keepingCapacity: true)
                whole.withUnsafeBytes { take($0, onMessage) }
            }
            start = end + 1
        }
        carry.append(contentsOf: bytes[start...])
        if carry.count > Self.longestLine { throw TooLarge() }
    }

    private mutating func take(_ line: UnsafeRawBufferPointer, _ onMessage: (Int) -> Void) {
        switch line.first {
        case UInt8(ascii: "d"): takeData(line, onMessage)
        case UInt8(ascii: "i"):
            guard line.starts(with: "id: ".utf8) else { return }
            cursorBytes.removeAll(keepingCapacity: true)
            cursorBytes.append(contentsOf: line[4...])
        case UInt8(ascii: "e"):
            if line.elementsEqual("event: message.created".utf8) {
                kind = .message
            } else {
                kind = Self.kind(line)
            }
        case nil: kind = .other
        default: break
        }
    }

    private static func kind(_ line: UnsafeRawBufferPointer) -> Kind {
        if line.elementsEqual("event: presence.updated".utf8) { return .presence }
        if line.elementsEqual("event: typing.updated".utf8) { return .typing }
        return line.elementsEqual("event: ready".utf8) ? .ready : .other
    }

    private mutating func takePresence(_ line: UnsafeRawBufferPointer) {
        presences += 1
        let width = 36
        guard let person = Self.end(of: #""userId":""#, in: line), line.count >= person + width,
            Self.end(of: #""online""#, in: line) != nil
        else { return }
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: line[person..<person + width]))
        present.insert(hasher.finalize())
    }

    /// Where a text ends that is in a line.
    private static func end(of text: StaticString, in line: UnsafeRawBufferPointer) -> Int? {
        let count = text.utf8CodeUnitCount
        var start = 0
        while let base = line.baseAddress, line.count - start >= count,
            let found = memchr(base + start, Int32(text.utf8Start.pointee), line.count - start - count + 1)
        {
            start = UnsafeRawPointer(found) - base
            if memcmp(found, text.utf8Start, count) == 0 { return start + count }
            start += 1
        }
        return nil
    }

    private mutating func takeData(_ line: UnsafeRawBufferPointer, _ onMessage: (Int) -> Void) {
        switch kind {
        case .ready: isReady = true
        case .presence: takePresence(line)
        case .typing: typings += 1
        case .message:
            messages += 1
            guard let base = line.baseAddress, let found = memchr(base, Int32(mark), line.count) else { return }
            let start = UnsafeRawPointer(found) - base + 1
            guard line.count >= start + 10 else { return }
            var number = 0
            for byte in line[start..<(start + 10)] {
                guard (0x30...0x39).contains(byte) else { return }
                number = number * 10 + Int(byte - 0x30)
            }
            onMessage(number - RequestTemplate.counterBase)
        case .other: break
        }
    }
}
