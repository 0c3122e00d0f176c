/// Sends notifications to one kind of service.
package protocol PushProvider: Sendable {
    /// `fcm`, `apns` or `webpush`.
    var name: String { get }

    /// Sends one notification once, and says what became of it: within 12 seconds, and never by an error.
    ///
    /// An address of another kind is answered with ``PushOutcome/rejected(reason:)``.
    func send(_ notification: PushNotification, to address: PushAddress) async -> PushOutcome
}
