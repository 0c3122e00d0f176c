import Foundation
import Postgres

/// The tables of bots and their tokens. A bot has an account without a password, under an address that no mail can have; each
/// of its tokens is a session, so that what ends sessions ends tokens, and their streams.
struct Bots: Sendable {
    let pool: PostgresPool

    /// How many tokens a bot may have at once.
    static let maxTokens = 20

    static func address(of bot: UUID) -> EmailAddress {
        EmailAddress(stored: "\(bot.uuidString.lowercased())@bots.invalid")
    }

    /// Makes a bot whose name the log does not know yet.
    func insert(_ name: String, by author: String, at now: Date) async throws -> Account {
        let id = BotID.make(at: now)
        let account = Account(
            id: id,
            email: Self.address(of: id),
            passwordHash: nil,
            passwordVersion: 0,
            isEmailVerified: false,
            pendingProfile: Account.PendingProfile(displayName: name)
        )
        try await pool.withTransaction { connection in
            try await AuditLog.record("bot.create", of: account.id.uuidString.lowercased(), by: author, on: connection)
            try await Accounts.insert(account, at: now, on: connection)
            try await connection.execute(
                "INSERT INTO parley.bots (bot_id, created_at, created_by) VALUES (\(account.id), \(now), \(author))"
            )
        }
        return account
    }

    /// Makes a token; nil where there is no such bot, or it is deactivated.
    ///
    /// - Throws: `IdentityError.invalid` where it has too many, database errors.
    func insertToken(
        of bot: UUID,
        named name: String?,
        for scopes: Set<BotScope>,
        by author: String,
        at now: Date
    ) async throws -> ProgramToken? {
        let token = ProgramToken(.bot, id: TimeOrderedID.make(at: now))
        return try await pool.withTransaction { connection in
            // The lock makes the limit exact, and orders this with a deactivation.
            let found = try await connection.query(
                """
                SELECT (SELECT count(*) FROM parley.sessions s WHERE s.account_id = a.account_id AND s.revoked_at IS NULL)
                    AS tokens
                FROM parley.accounts a JOIN parley.bots b ON b.bot_id = a.account_id
                WHERE a.account_id = \(bot) AND a.deactivated_at IS NULL
                FOR NO KEY UPDATE OF a
                """
            )
            guard let tokens = try found.first?.decode("tokens", as: Int.self) else { return nil }
            guard tokens < Self.maxTokens else {
                throw IdentityError.invalid([
                    InvalidField(field: "", code: .invalid, message: "A bot has at most \(Self.maxTokens) tokens.")
                ])
            }
            try await AuditLog.record("bot.token.create", of: Self.target(bot, token.id), by: author, on: connection)
            try await Sessions.insertUnending(token.id, of: bot, named: name, at: now, on: connection)
            try await connection.execute(
                """
                INSERT INTO parley.bot_tokens (session_id, token_hash, scopes)
                VALUES (\(token.id), \(Bytes(token.hash)), \(scopes.map(\.rawValue).sorted()))
                """
            )
            return token
        }
    }

    static func target(_ bot: UUID, _ token: UUID) -> String {
        "\(bot.uuidString.lowercased())/\(token.uuidString.lowercased())"
    }

    /// Whose token it is; nil where it is nobody's, or nobody's any more.
    func user(of token: ProgramToken) async throws -> AuthenticatedUser? {
        let rows = try await pool.query(
            """
            SELECT s.account_id, t.token_hash, t.scopes FROM parley.bot_tokens t
            JOIN parley.sessions s ON s.session_id = t.session_id AND s.revoked_at IS NULL
            JOIN parley.accounts a ON a.account_id = s.account_id AND a.deactivated_at IS NULL
            WHERE t.session_id = \(token.id)
            """
        )
        guard let row = rows.first, token.matches(try row.decode("token_hash", as: Bytes.self).bytes) else {
            return nil
        }
        return AuthenticatedUser(
            userID: try row.decode("account_id"),
            sessionID: token.id,
            tokenExpiresAt: .distantFuture,
            botScopes: try row.botScopes
        )
    }

    /// A page of the bots, the newest first.
    ///
    /// - Parameter only: where given, this one alone.
    func list(only id: UUID? = nil, before: UUID? = nil, limit: Int) async throws -> [Bot] {
        let rows = try await pool.query(
            """
            SELECT b.bot_id, b.created_at, b.created_by, a.deactivated_at IS NOT NULL AS is_deactivated
            FROM parley.bots b JOIN parley.accounts a ON a.account_id = b.bot_id
            WHERE (\(id)::uuid IS NULL OR b.bot_id = \(id)::uuid)
                AND (\(before)::uuid IS NULL OR b.bot_id < \(before)::uuid)
            ORDER BY b.bot_id DESC
            LIMIT \(limit)
            """
        )
        var bots = try rows.map { row in
            Bot(
                id: try row.decode("bot_id"),
                createdAt: try row.decode("created_at"),
                createdBy: try row.decode("created_by"),
                isDeactivated: try row.decode("is_deactivated")
            )
        }
        let tokens = try await tokens(of: bots.map(\.id))
        for index in bots.indices { bots[index].tokens = tokens[bots[index].id] ?? [] }
        return bots
    }

    private func tokens(of bots: [UUID]) async throws -> [UUID: [BotToken]] {
        guard !bots.isEmpty else { return [:] }
        let rows = try await pool.query(
            """
            SELECT s.account_id, s.session_id, s.device_name, s.created_at, s.last_seen_at, t.scopes
            FROM parley.sessions s JOIN parley.bot_tokens t ON t.session_id = s.session_id
            WHERE s.account_id = ANY (\(bots)) AND s.revoked_at IS NULL
            ORDER BY s.session_id
            """
        )
        var tokens: [UUID: [BotToken]] = [:]
        for row in rows {
            let (created, seen): (Date, Date) = (try row.decode("created_at"), try row.decode("last_seen_at"))
            let token = BotToken(
                id: try row.decode("session_id"),
                name: try row.decode("device_name"),
                scopes: try row.botScopes,
                createdAt: created,
                lastUsedAt: seen > created ? seen : nil
            )
            tokens[try row.decode("account_id"), default: []].append(token)
        }
        return tokens
    }
}

extension Row {
    /// What a newer program knows of scopes beyond these allows nothing here.
    fileprivate var botScopes: Set<BotScope> {
        get throws { Set(try decode("scopes", as: [String].self).compactMap { BotScope(rawValue: $0) }) }
    }
}
