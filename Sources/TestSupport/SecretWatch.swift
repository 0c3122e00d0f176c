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

    /// The newest: a bound keeps the search quick.
    private static let mostIssued = 500
    private static let issued = Mutex<[String]>([])

    /// A secret that was made during the run, such as a token.
    package static func add(_ secret: String) {
        // Short ones are in everything.
        guard secret.utf8.count >= 16 else { return }
        issued.withLock { issued in
            if issued.count == mostIssued { issued.removeFirst() }
            issued.append(secret)
        }
    }

    /// Fails the run where a text that leaves the server holds a secret.
    package static func inspect(_ text: String, _ place: String, sourceLocation: SourceLocation = #_sourceLocation) {
        guard let secret = secret(in: text) else { return }
        Issue.record("\(place) holds a secret, \(secret.prefix(8))…: \(text)", sourceLocation: sourceLocation)
    }

    /// A secret that a text holds, if it holds any.
    package static func secret(in text: String) -> String? {
        planted.first { text.contains($0) } ?? issued.withLock { issued in issued.first { text.contains($0) } }
    }

    package static let logger = logger { line, file in inspect(line, "a log line of \(file)") }

    /// A logger that gives every line, as a file would hold it, to somebody.
    package static func logger(_ look: @escaping @Sendable (_ line: String, _ file: String) -> Void) -> Logger {
        Logger(label: "test") { _ in Handler(look: look) }
    }

    private struct Handler: LogHandler {
        let look: @Sendable (String, String) -> Void
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
            look(line, event.file)
        }
    }
}
