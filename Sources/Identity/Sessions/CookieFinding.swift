import Foundation

/// What the database said of a cookie.
enum CookieFinding: Sendable {
    case live(Live)
    /// Its session has ended, and no session ever begins again.
    case over

    struct Live: Sendable {
        /// Good for as long as an access token that was made when the database was asked: so long are revocations
        /// remembered.
        let user: AuthenticatedUser
        let askAgainAt: Date
        var expiresAt: Date

        /// - Parameter lifetime: that of an access token.
        init(of account: UUID, session: UUID, until expiry: Date, askedAt now: Date, lifetime: TimeInterval) {
            user = AuthenticatedUser(
                userID: account,
                sessionID: session,
                tokenExpiresAt: min(expiry, now.addingTimeInterval(lifetime))
            )
            // A stream that begins has half of the time before it at least.
            askAgainAt = min(expiry, now.addingTimeInterval(lifetime / 2))
            expiresAt = expiry
        }
    }

    /// Whether the database need not be asked again.
    func holds(at now: Date) -> Bool {
        switch self {
        case .live(let live): now < live.askAgainAt
        case .over: true
        }
    }
}
