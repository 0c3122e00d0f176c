package import Foundation

/// Who makes a request: proven by an access token whose session has not ended.
package struct AuthenticatedUser: Sendable, Hashable {
    package let userID: UUID
    package let sessionID: UUID
    /// A stream ends here at the latest.
    package let tokenExpiresAt: Date

    package init(userID: UUID, sessionID: UUID, tokenExpiresAt: Date) {
        self.userID = userID
        self.sessionID = sessionID
        self.tokenExpiresAt = tokenExpiresAt
    }
}
