package import Foundation

/// Programs that take part as people do.
extension Identity {
    private var bots: Bots { Bots(pool: accounts.pool) }

    /// Makes a bot. It may bear a name that is reserved: an operator gives it.
    ///
    /// - Throws: `IdentityError.invalid`.
    package func createBot(_ displayName: String, by author: String) async throws -> UUID {
        let name = try checked { () throws(InvalidField) in try displayNameRule.checkForm(displayName) }
        let account = try await bots.insert(name, by: author, at: currentTime())
        try await completeProfile(of: account)
        return account.id
    }

    /// Makes a token of a bot, which nobody can read again; nil where there is no such bot, or it is deactivated.
    ///
    /// - Throws: `IdentityError.invalid`.
    package func createToken(
        ofBot bot: UUID,
        named name: String?,
        for scopes: Set<BotScope>,
        by author: String
    ) async throws -> (id: UUID, text: Secret)? {
        let name = try checked { () throws(InvalidField) in try DeviceName.check(name, field: "name") }
        // What a crash left out when the bot was made.
        if let account = try await accounts.find(id: bot) { try await completeProfile(of: account) }
        let token = try await bots.insertToken(of: bot, named: name, for: scopes, by: author, at: currentTime())
        return token.map { ($0.id, $0.text) }
    }

    /// Ends a token of a bot, and its streams; false where the bot never had it.
    package func revokeToken(_ token: UUID, ofBot bot: UUID, by author: String) async throws -> Bool {
        guard try await !bots.list(only: bot, limit: 1).isEmpty else { return false }
        try await audit.record("bot.token.revoke", of: Bots.target(bot, token), by: author)
        return try await sessions.end(token, of: bot)
    }

    package func bot(_ id: UUID) async throws -> Bot? {
        try await bots.list(only: id, limit: 1).first
    }

    /// A page of the bots, the newest first.
    package func bots(before: UUID?, limit: Int) async throws -> [Bot] {
        try await bots.list(before: before, limit: limit)
    }

    /// Whose token it is. Always asks the database: a token has no time after which it must be asked for anew.
    func authenticate(
        _ token: ProgramToken,
        beforeCheck: () throws -> Void,
        beforeQuery: BeforeQuery,
        onForgery: () -> Void
    ) async throws -> AuthenticatedUser {
        let user: AuthenticatedUser = try await holder(
            of: token,
            id: \.userID,
            beforeCheck: beforeCheck,
            beforeQuery: beforeQuery,
            onForgery: onForgery
        ) { try await bots.user(of: token) }
        lastSeen.note(user.sessionID, at: now())
        return user
    }
}
