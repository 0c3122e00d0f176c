package import Foundation

/// What became of one try to send a notification.
///
/// Reasons are words of the protocol, or ours: they name no address and no text, and are few, so that metrics can count them.
package enum PushOutcome: Sendable, Hashable {
    /// The service has it.
    case accepted
    /// The app is no longer on the device. The address is deleted, unless it was registered anew after `since`.
    case addressGone(reason: String, since: Date?)
    /// The service knows no such address. It is deleted, unless many fail so together: then the fault is ours.
    case addressRefused(reason: String)
    /// The address is of an app that there is no key for, here or in the service's own settings. Anybody can register such a
    /// one. It is kept, for the key may be there again.
    case unserved(reason: String)
    /// The service is busy or was not reached.
    case retry(after: Duration?, reason: String)
    /// Too much was sent to this one device; to all of them, where many hear that.
    case backOffDevice(after: Duration, reason: String)
    /// The service does not believe who we are. Nothing is wrong with the address.
    case credentialsRefused(reason: String)
    /// The service will never take this notification: it is too large, or wrong.
    case rejected(reason: String)
}
