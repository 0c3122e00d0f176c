package import Foundation

/// A device that is signed in.
package struct DeviceSession: Sendable, Hashable {
    package let id: UUID
    package let userID: UUID
    package let deviceName: String?
    package let createdAt: Date
    /// When a token of it was last used, to the minute.
    package let lastSeenAt: Date
}
