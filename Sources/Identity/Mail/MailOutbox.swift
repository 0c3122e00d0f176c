import Foundation
import Postgres

/// The table of mails that wait to be sent, which all processes work off together.
struct MailOutbox: Sendable {
    let pool: PostgresPool
    /// How many may wait.
    let limit: Int
    let activity = OutboxActivity()

    /// Whom a mail goes to.
    enum Recipient: Sendable {
        case account(UUID)
        /// Whoever has this address, if anyone has.
        case sealed(Bytes)
    }

    /// A mail that this process is to send.
    struct Due: Sendable {
        let id: UUID
        let kind: MailKind
        let recipient: Recipient
        /// The webhook that it is about, if it is about one.
        let about: UUID?
        /// This one included.
        let attempts: Int
        let createdAt: Date
        let secondsLeft: Double
    }

    /// Lets a mail wait; false if too many wait already, or the same one does.
    @discardableResult
    func add(
        _ id: UUID,
        _ kind: MailKind,
        to recipient: Recipient,
        about webhook: UUID? = nil,
        goodFor lifetime: Duration,
        on connection: PostgresConnection
    ) async throws -> Bool {
        let (account, sealed): (UUID?, Bytes?) =
            switch recipient {
            case .account(let account): (account, nil)
            case .sealed(let sealed): (nil, sealed)
            }
        activity.noteAddition()
        let added = try await connection.execute(
            """
            INSERT INTO parley.mail_outbox (mail_id, kind, account_id, sealed_recipient, about, give_up_at)
            SELECT \(id), \(kind.rawValue), \(account), \(sealed), \(webhook),
                now() + make_interval(secs => \(lifetime.seconds))
            WHERE (SELECT count(*) FROM (
                SELECT 1 FROM parley.mail_outbox WHERE dead_at IS NULL LIMIT \(limit)) waiting) < \(limit)
            ON CONFLICT DO NOTHING
            """
        )
        return added == 1
    }

    /// Takes the mail that is due the longest, for as long as `lease`; nil if none is due.
    ///
    /// Others skip it meanwhile. It comes back when the lease ends, should this process die: so a mail may be sent twice
    /// after a crash, and never because two processes work at once.
    func claim(lease: Duration) async throws -> Due? {
        let rows = try await pool.query(
            """
            UPDATE parley.mail_outbox SET
                next_attempt_at = clock_timestamp() + make_interval(secs => \(lease.seconds)), attempts = attempts + 1
            WHERE mail_id = (
                SELECT mail_id FROM parley.mail_outbox
                WHERE dead_at IS NULL AND next_attempt_at <= clock_timestamp()
                ORDER BY next_attempt_at
                LIMIT 1
                FOR UPDATE SKIP LOCKED)
            RETURNING mail_id, kind, account_id, sealed_recipient, about, attempts, created_at,
                extract(epoch FROM give_up_at - clock_timestamp())::float8 AS seconds_left
            """
        )
        return try rows.first.flatMap(Self.due)
    }

    private static func due(_ row: Row) throws -> Due? {
        let account = try row.decode("account_id", as: UUID?.self).map { Recipient.account($0) }
        let sealed = try row.decode("sealed_recipient", as: Bytes?.self).map { Recipient.sealed($0) }
        guard let kind = MailKind(rawValue: try row.decode("kind", as: String.self)), let recipient = account ?? sealed
        else { return nil }
        return Due(
            id: try row.decode("mail_id", as: UUID.self),
            kind: kind,
            recipient: recipient,
            about: try row.decode("about", as: UUID?.self),
            attempts: try row.decode("attempts", as: Int.self),
            createdAt: try row.decode("created_at", as: Date.self),
            secondsLeft: try row.decode("seconds_left", as: Double.self)
        )
    }

    /// The mail is sent, or nobody is to get it.
    func remove(_ id: UUID) async throws {
        try await pool.execute("DELETE FROM parley.mail_outbox WHERE mail_id = \(id)")
    }

    func retry(_ id: UUID, in seconds: Double, after failure: String) async throws {
        try await pool.execute(
            """
            UPDATE parley.mail_outbox SET
                next_attempt_at = clock_timestamp() + make_interval(secs => \(seconds)), last_failure = \(failure)
            WHERE mail_id = \(id)
            """
        )
    }

    /// Gives a mail up; it is kept for the operator, without its address.
    func giveUp(_ id: UUID, after failure: String) async throws {
        try await pool.execute(
            """
            UPDATE parley.mail_outbox
            SET dead_at = clock_timestamp(), sealed_recipient = NULL, last_failure = \(failure)
            WHERE mail_id = \(id)
            """
        )
    }
}
