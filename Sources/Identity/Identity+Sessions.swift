package import Foundation
import Postgres

extension Identity {
    /// A page of an account's live sessions, the newest first, and the cursor of the next page.
    ///
    /// - Throws: `IdentityError.badCursor`.
    package func sessions(
        of account: UUID,
        after cursor: String?,
        limit: Int
    ) async throws -> (sessions: [DeviceSession], nextCursor: String?) {
        let before = try cursor.map { text throws(IdentityError) in try SessionCursor.read(text) }
        let found = try await sessions.list(of: account, before: before, limit: limit + 1, at: currentTime())
        let page = Array(found.prefix(limit))
        return (page, found.count > limit ? page.last.map { SessionCursor.text(after: $0.id) } : nil)
    }

    /// Whose session it is, while it lives and the account is open; nil where it does not. Always asks the database.
    package func user(
        ofSession session: UUID,
        until expiry: Date,
        beforeQuery: BeforeQuery = { _ in }
    ) async throws -> AuthenticatedUser? {
        try await requireLeave(toAskFor: session, beforeQuery)
        let rows = try await sessions.pool.query(
            """
            SELECT s.account_id FROM parley.sessions s
            JOIN parley.accounts a ON a.account_id = s.account_id AND a.deactivated_at IS NULL
            WHERE s.session_id = \(session) AND s.revoked_at IS NULL
            """
        )
        guard let account = try rows.first?.decode("account_id", as: UUID.self) else { return nil }
        noteAccount(account, of: session)
        return AuthenticatedUser(userID: account, sessionID: session, tokenExpiresAt: expiry)
    }

    /// Ends the caller's session: its tokens are refused and its streams end.
    package func logout(_ user: AuthenticatedUser) async throws {
        try await sessions.end(user.sessionID)
    }

    /// Ends any session of the caller; false if there is none of that id.
    package func endSession(_ id: UUID, of user: AuthenticatedUser) async throws -> Bool {
        try await sessions.end(id, of: user.userID)
    }

    /// Ends the caller's other sessions, or all.
    package func endSessions(of user: AuthenticatedUser, includingCurrent: Bool) async throws {
        let kept = includingCurrent ? nil : user.sessionID
        let ended = try await sessions.pool.withTransaction { connection in
            try await sessions.endAll(of: user.userID, except: kept, on: connection)
        }
        for id in ended { revocations.sessionEnded(id) }
    }

    /// Writes when sessions were last used; what cannot be written is kept for the next time.
    func writeLastSeen() async throws {
        let seen = lastSeen.take()
        do {
            try await sessions.markSeen(seen)
        } catch {
            for (session, time) in seen { lastSeen.note(session, at: time) }
            throw error
        }
    }
}
