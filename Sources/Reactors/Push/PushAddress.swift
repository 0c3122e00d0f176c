import Crypto
package import Foundation

/// Where a device is reached: one case for each protocol.
package enum PushAddress: Sendable, Hashable {
    /// Firebase Cloud Messaging: Android.
    case fcm(FCMTarget)
    /// Apple's service; the app is the topic of its notifications, its bundle's identifier as a rule.
    case apns(token: String, app: String, isSandbox: Bool)
    /// A browser's push service, or a UnifiedPush distributor: RFC 8030. The keys are as RFC 8291 has them: an uncompressed
    /// point of P-256, and 16 bytes.
    case webPush(endpoint: URL, p256dh: [UInt8], auth: [UInt8])
}

extension PushAddress {
    /// Whether something can be sealed for these bytes.
    package static func isPublicKey(_ p256dh: [UInt8]) -> Bool {
        (try? P256.KeyAgreement.PublicKey(x963Representation: p256dh)) != nil
    }
}

/// What Firebase Cloud Messaging knows an installed app by.
package enum FCMTarget: Sendable, Hashable {
    /// A registration token, which Firebase calls deprecated, and which most apps have.
    case token(String)
    /// A Firebase installation ID.
    case fid(String)
}

/// Whoever knows an address can write to the device: it is shown nowhere.
extension PushAddress: CustomStringConvertible, CustomReflectable {
    package var description: String { "PushAddress(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
