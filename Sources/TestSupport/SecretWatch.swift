package import Logging
import Synchronization
package import Testing

/// What the tests log with: it keeps nothing, at any level, and looks for secrets in every line. One that is found fails
/// the run.
package enum SecretWatch {
    /// Marks a password, a text or a name as something that no line may hold.
    package static let mark = "planted-"

    /// What the tests' secrets have in common: their passwords and addresses, the beginning of every access token, and
    /// the mark.
    private static let planted = [mark, "correct horse", "@example.org", "eyJhbGciOi"]

    private static let issued = Mutex(Needles(planted))

    /// A secret that was made during the run, such as a token.
    package static func add(_ secret: String) {
        // Short ones are in everything.
        guard secret.utf8.count >= 16 else { return }
        issued.withLock { $0.add(secret) }
    }

    /// Fails the run where a text that leaves the server holds a secret.
    package static func inspect(_ text: String, _ place: String, sourceLocation: SourceLocation = #_sourceLocation) {
        guard let secret = secret(in: text) else { return }
        Issue.record("\(place) holds a secret, \(secret.prefix(8))…: \(text)", sourceLocation: sourceLocation)
    }

    /// A secret that a text holds, if it holds any.
    package static func secret(in text: String) -> String? {
        issued.withLock { $0.first(in: text) }
    }

    package static let logger = logger { line, file in inspect(line, "a log line of \(file)") }

    /// A logger that gives every line, as a file would hold it, to somebody.
    package static func logger(_ observe: @escaping @Sendable (_ line: String, _ file: String) -> Void) -> Logger {
        Logger(label: "test") { _ in Handler(observe: observe) }
    }

    private struct Handler: LogHandler {
        let observe: @Sendable (String, String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            var line = "\(event.message) \(metadata)"
            if let metadata = event.metadata { line += " \(metadata)" }
            if let error = event.error { line += " \(error) \(String(reflecting: error))" }
            observe(line, event.file)
        }
    }
}

/// Finds those of many texts that another has in it, all at once: by their first eight bytes, of which few others are the same.
private struct Needles {
    /// Of what is added, the newest.
    private static let most = 10_000

    /// By the hashes of their first eight bytes.
    private var buckets: [[String]] = Array(repeating: [], count: 1 << 16)
    private var isFilled = [Bool](repeating: false, count: 1 << 16)
    private var added: [String] = []
    private var oldest = 0

    /// - Parameter permanent: those that stay, of eight bytes or more.
    init(_ permanent: [String]) {
        for text in permanent { insert(text) }
    }

    mutating func add(_ text: String) {
        if added.count < Self.most {
            added.append(text)
        } else {
            remove(added[oldest])
            added[oldest] = text
            oldest = (oldest + 1) % Self.most
        }
        insert(text)
    }

    private mutating func insert(_ text: String) {
        let bucket = Self.bucket(of: text)
        buckets[bucket].append(text)
        isFilled[bucket] = true
    }

    private mutating func remove(_ text: String) {
        let bucket = Self.bucket(of: text)
        if let index = buckets[bucket].firstIndex(of: text) { buckets[bucket].remove(at: index) }
        isFilled[bucket] = !buckets[bucket].isEmpty
    }

    private static func bucket(of text: String) -> Int {
        var text = text
        return text.withUTF8 { bucket(of: UnsafeRawBufferPointer($0), at: 0) }
    }

    /// Of the eight bytes there (Fibonacci hashing).
    private static func bucket(of bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        Int((bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) &* 0x9e37_79b9_7f4a_7c15) >> 48)
    }

    func first(in text: String) -> String? {
        var text = text
        return text.withUTF8 { text in
            let bytes = UnsafeRawBufferPointer(text)
            return isFilled.withUnsafeBufferPointer { isFilled in
                var offset = 0
                while offset + 8 <= bytes.count {
                    let bucket = Self.bucket(of: bytes, at: offset)
                    if isFilled[bucket] {
                        let rest = bytes[offset...]
                        if let found = buckets[bucket].first(where: { rest.starts(with: $0.utf8) }) { return found }
                    }
                    offset += 1
                }
                return nil
            }
        }
    }
}
