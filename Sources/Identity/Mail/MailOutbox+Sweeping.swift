import Postgres

extension MailOutbox {
    struct Counts: Sendable, Equatable {
        let waiting: Int
        let dead: Int
    }

    /// How many mails wait, counted up to the limit, and how many were given up.
    func counts() async throws -> Counts {
        let rows = try await pool.query(
            """
            SELECT
                (SELECT count(*) FROM (
                    SELECT 1 FROM parley.mail_outbox WHERE dead_at IS NULL LIMIT \(limit)) w) AS waiting,
                (SELECT count(*) FROM parley.mail_outbox WHERE dead_at IS NOT NULL) AS dead
            """
        )
        guard let row = rows.first else { return Counts(waiting: 0, dead: 0) }
        return Counts(waiting: try row.decode("waiting", as: Int.self), dead: try row.decode("dead", as: Int.self))
    }

    /// Gives up what waited until it was of no use, as it does where there is no way to send, and deletes what was given
    /// up long ago.
    ///
    /// - Parameter dead: how many that were given up are kept.
    func sweep(keeping dead: Int) async throws {
        // Whether anyone was to get these is not known, so there is nothing to keep of them.
        try await pool.execute(
            """
            DELETE FROM parley.mail_outbox
            WHERE dead_at IS NULL AND account_id IS NULL AND next_attempt_at <= now() AND give_up_at <= now()
            """
        )
        try await pool.execute(
            """
            UPDATE parley.mail_outbox
            SET dead_at = clock_timestamp(), last_failure = coalesce(last_failure, 'no way to send mail')
            WHERE dead_at IS NULL AND next_attempt_at <= now() AND give_up_at <= now()
            """
        )
        try await pool.execute(
            """
            DELETE FROM parley.mail_outbox WHERE dead_at < now() - interval '30 days' OR mail_id IN (
                SELECT mail_id FROM parley.mail_outbox WHERE dead_at IS NOT NULL ORDER BY dead_at DESC OFFSET \(dead))
            """
        )
    }
}
