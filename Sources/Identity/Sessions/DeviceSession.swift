package import Foundation

/// A device that is signed in.
package struct DeviceSession: Sendable, Hashable {
    package let id: UUID
    package let userID: UUID
    package let deviceName: String?
    package let createdAt: Date
    /// When it was last used, to the minute.
    package let lastSeenAt: Date
    /// Whether a browser's cookie holds it, and no tokens.
    package var isBrowser = false
}
