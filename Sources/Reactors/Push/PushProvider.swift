package import Foundation

/// Sends notifications to one kind of service.
package protocol PushProvider: Sendable {
    /// `fcm`, `apns` or `webpush`.
    var name: String { get }

    /// Sends one notification once, and says what became of it: within 12 seconds, and never by an error.
    ///
    /// An address of another kind is answered with ``PushOutcome/rejected(reason:)``.
    func send(_ notification: PushNotification, to address: PushAddress) async -> PushOutcome

    /// Is told whose notification came to what.
    ///
    /// - Parameter service: what a breaker stands for: of Web Push a host.
    func note(_ outcome: PushOutcome, for person: UUID, at service: String)
}

extension PushProvider {
    package func note(_ outcome: PushOutcome, for person: UUID, at service: String) {}
}
