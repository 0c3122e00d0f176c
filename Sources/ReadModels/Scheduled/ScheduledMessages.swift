package import EventStore
package import Foundation
import Postgres

/// What people want to be sent later: rows beside the log, which all processes work off together.
///
/// Whoever sends, changes or withdraws a row claims it first. Others leave it alone until that is done, or until the claim has
/// ended without a word: then it may have been sent, and whoever comes next asks the log.
package struct ScheduledMessages: Sendable {
    /// How long a claim lasts: longer than anything may be under way that began ``ScheduledMessages/promptness`` after it.
    package static let lease: TimeInterval = 60
    /// How long after a claim sending may begin.
    package static let promptness: TimeInterval = 10

    let pool: PostgresPool
    let keyring: Keyring
    let sessions: ProcessSessions
    /// What an answer holds, in bytes.
    let answerBytes: Int

    package init(_ eventStore: EventStore, answerBytes: Int = Queries.standardAnswerBytes) {
        pool = eventStore.pool
        keyring = eventStore.keyring
        sessions = eventStore.sessions
        self.answerBytes = answerBytes
    }

    /// A row that is this caller's for a while.
    package struct Claim: Sendable {
        let token: UUID
        package let message: ScheduledSend
        /// Tries to send it, the present one included.
        package let attempts: Int
        /// What another process has begun, which is gone, may be under way until then.
        let rivalUntil: Date?

        /// Whether a process that is gone may have sent it, or its last command may yet.
        package var mayBeSentByOthers: Bool { rivalUntil != nil }
    }

    package enum Claiming: Sendable {
        case claimed(Claim)
        /// Somebody else has it at this moment.
        case busy
        case absent
    }

    package enum Addition: Sendable {
        case added, present
        /// The author has as many as one may.
        case full
        /// The author has no key (any more).
        case unknownAuthor
    }

    /// Adds a message, unless the author has one of its id.
    ///
    /// - Parameter limit: how many the author may have.
    package func add(_ message: ScheduledSend, limit: Int) async throws -> Addition {
        guard let content = message.content, let sealed = try await seal(content, of: message) else {
            return .unknownAuthor
        }
        return try await pool.withTransaction { connection in
            // One at a time for each author, so that the limit holds for requests that come at once, too.
            try await connection.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended('parley scheduled ' || \(message.author)::uuid, 0))"
            )
            let author = message.author
            let counts = try await connection.query(
                """
                SELECT count(*) AS n, count(*) FILTER (WHERE s.message_id = \(message.id)) AS same
                FROM parley.scheduled_messages s WHERE s.author_id = \(author)
                """
            )
            if let row = counts.first {
                if try row.decode("same", as: Int.self) > 0 { return .present }
                if try row.decode("n", as: Int.self) >= limit { return .full }
            }
            let added = try await connection.execute(
                """
                INSERT INTO parley.scheduled_messages (
                    author_id, message_id, conversation_id, send_at, due_at, created_at, key_id, sealed)
                SELECT n.* FROM (
                    VALUES (\(author)::uuid, \(message.id)::uuid, \(message.conversation)::uuid,
                        \(message.sendAt)::timestamptz, \(message.sendAt)::timestamptz,
                        \(message.createdAt)::timestamptz, \(sealed.key)::uuid, \(Bytes(sealed.bytes))::bytea)
                ) AS n (author_id, message_id, conversation_id, send_at, due_at, created_at, key_id, sealed)
                WHERE NOT EXISTS (SELECT FROM parley.erasures x WHERE x.person_id = n.author_id)
                """
            )
            return added == 1 ? .added : .unknownAuthor
        }
    }

    /// Claims a row of an author's, to change or withdraw it.
    package func claim(_ id: UUID, of author: UUID, at now: Date) async throws -> Claiming {
        let claimed = try await pool.query(
            """
            UPDATE parley.scheduled_messages s
            SET claim = \(UUID()), claimed_by = \(sessions.key), claimed_until = \(now.addingTimeInterval(Self.lease))
            WHERE s.author_id = \(author) AND s.message_id = \(id)
                AND (s.claimed_until IS NULL OR s.claimed_until <= \(now))
            RETURNING \(Self.columns), NULL::timestamptz AS rival_until
            """
        )
        if let claim = try await claims(claimed).first { return .claimed(claim) }
        let found = try await pool.query(
            """
            SELECT FROM parley.scheduled_messages s WHERE s.author_id = \(author) AND s.message_id = \(id)
            """
        )
        return found.isEmpty ? .absent : .busy
    }

    /// Puts another content or time in the place of what is claimed, and lets it go.
    ///
    /// - Returns: false where the claim has ended meanwhile, or the author has no key (any more).
    package func change(_ claim: Claim, to message: ScheduledSend) async throws -> Bool {
        guard let content = message.content, let sealed = try await seal(content, of: message) else { return false }
        let changed = try await pool.execute(
            """
            UPDATE parley.scheduled_messages s
            SET conversation_id = \(message.conversation), send_at = \(message.sendAt), due_at = \(message.sendAt),
                key_id = \(sealed.key), sealed = \(Bytes(sealed.bytes)), failure = NULL, failed_at = NULL, attempts = 0,
                claim = NULL, claimed_by = NULL, claimed_until = NULL
            WHERE \(Self.isStill(claim))
            """
        )
        return changed == 1
    }

    /// Removes what is claimed: it is withdrawn, or sent.
    ///
    /// - Returns: false where the claim has ended meanwhile.
    package func remove(_ claim: Claim) async throws -> Bool {
        try await pool.execute("DELETE FROM parley.scheduled_messages s WHERE \(Self.isStill(claim))") == 1
    }

    /// Lets go of what is claimed, as it was.
    package func release(_ claim: Claim) async throws {
        try await pool.execute(
            """
            UPDATE parley.scheduled_messages s SET claim = NULL, claimed_by = NULL, claimed_until = NULL
            WHERE \(Self.isStill(claim))
            """
        )
    }

    /// Forgets all of an erased person.
    package func forget(_ person: UUID) async throws {
        try await pool.execute("DELETE FROM parley.scheduled_messages WHERE author_id = \(person)")
    }

    private func seal(_ content: ScheduledSend.Content, of message: ScheduledSend) async throws -> SealedDraft? {
        let bytes = [UInt8](try JSONEncoder().encode(content))
        return try await keyring.seal(scheduled: bytes, of: message.author, as: message.id)
    }
}
