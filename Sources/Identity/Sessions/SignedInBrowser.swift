package import Foundation

/// A session that a cookie holds: what registering and signing in answer in a browser.
package struct SignedInBrowser: Sendable {
    package let userID: UUID
    package let session: DeviceSession
    package let cookie: SessionCookie
}
