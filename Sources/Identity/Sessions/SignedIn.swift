package import Foundation

/// A session with fresh tokens: what registering, signing in and refreshing answer.
package struct SignedIn: Sendable {
    package let userID: UUID
    package let session: DeviceSession
    package let accessToken: Secret
    package let accessTokenExpiresAt: Date
    package let refreshToken: Secret
}
