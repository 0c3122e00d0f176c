package import Foundation

/// A device that is signed in.
package struct DeviceSession: Sendable, Hashable {
    package let id: UUID
    package let userID: UUID
    package let deviceName: String?
    package let createdAt: Date
    /// When the device last signed in or refreshed its tokens; an active one does so every few minutes.
    package let lastSeenAt: Date
}
