package import Foundation

/// Who makes a request: proven by a token whose session has not ended.
package struct AuthenticatedUser: Sendable, Hashable {
    package let userID: UUID
    package let sessionID: UUID
    /// A stream ends here at the latest.
    package let tokenExpiresAt: Date

    /// What a bot's token allows; nil for people, who may do all that is theirs.
    package let botScopes: Set<BotScope>?

    package init(userID: UUID, sessionID: UUID, tokenExpiresAt: Date, botScopes: Set<BotScope>? = nil) {
        self.userID = userID
        self.sessionID = sessionID
        self.tokenExpiresAt = tokenExpiresAt
        self.botScopes = botScopes
    }
}
