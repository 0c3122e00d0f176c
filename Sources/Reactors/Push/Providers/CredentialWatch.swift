import Synchronization

/// Remembers that a service does not believe who we are, for those who look after the server.
package final class CredentialWatch: Sendable {
    private let reason = Mutex<String?>(nil)

    package init() {}

    /// Why it does not; nil where it does, as far as is known.
    package var trouble: String? { reason.withLock { $0.map { Self.words($0) } } }

    static func words(_ reason: String) -> String { "refuses the server's credentials (\(reason))" }

    func note(_ outcome: PushOutcome) {
        switch outcome {
        case .credentialsRefused(let why): reason.withLock { $0 = why }
        // Who says anything of an address or a notification has believed us.
        case .accepted, .addressGone, .addressRefused, .rejected, .backOffDevice: reason.withLock { $0 = nil }
        case .retry, .unserved: break
        }
    }
}
