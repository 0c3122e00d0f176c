import Foundation
import Postgres

extension PushQueue {
    /// Gives claimed rows back, with what became of them, and notes that in the timeline; does nothing about a row that
    /// somebody else has claimed meanwhile.
    ///
    /// In the order of their keys, as everybody writes them, so that nobody waits in a circle.
    func complete(
        _ completions: [(claim: UUID, completion: PushCompletion)],
        on platform: PushPlatform
    ) async throws {
        guard !completions.isEmpty else { return }
        _ = try await pool.batch([
            .withoutWaiting,
            Self.update(completions),
            Self.removal(completions.map(\.completion.job)),
            Self.timeline(completions.map(\.completion), on: platform),
        ])
    }

    private static func update(_ completions: [(claim: UUID, completion: PushCompletion)]) -> SQL {
        let all = completions.map(\.completion)
        let jobs = all.map(\.job)
        return """
            WITH x AS (
                SELECT * FROM unnest(
                    \(jobs.map(\.conversation)), \(jobs.map(\.person)), \(jobs.map(\.device)), \(completions.map(\.claim)),
                    \(jobs.map(\.seq)), \(all.map { Int32(clamping: $0.taken) }), \(all.map { Int32(clamping: $0.shows) }),
                    \(all.map(\.clears)), \(all.map(\.isSent)), \(all.map { Int32(clamping: $0.attempts) }),
                    \(all.map { $0.wait.map { $0 / .seconds(1) } })
                ) AS x (conversation, person, device, claim, seq, taken, shows, clears, is_sent, attempts, wait)
            ), held AS (
                SELECT n.conversation_id, n.person_id, n.device_id FROM parley.push_notifications n
                JOIN x ON x.conversation = n.conversation_id AND x.person = n.person_id AND x.device = n.device_id
                    AND x.claim = n.claim
                ORDER BY n.conversation_id, n.person_id, n.device_id
                FOR UPDATE OF n
            )
            UPDATE parley.push_notifications n SET
                claim = NULL,
                claimed_by = NULL,
                attempts = x.attempts,
                pending = greatest(0, n.pending - x.taken),
                from_seq = CASE WHEN x.taken > 0 THEN least(x.seq + 1, n.seq) ELSE n.from_seq END,
                told = CASE WHEN x.clears THEN 0 ELSE n.told + x.shows END,
                shown_seq = CASE WHEN x.clears THEN NULL WHEN x.shows > 0 THEN x.seq ELSE n.shown_seq END,
                sent_at = CASE WHEN x.is_sent THEN now() ELSE n.sent_at END,
                due_at = CASE
                    WHEN x.wait IS NOT NULL THEN now() + make_interval(secs => x.wait)
                    -- More was said meanwhile: one summary of it.
                    WHEN n.pending > x.taken THEN now() + CASE WHEN x.is_sent THEN \(PushJob.pause.interval) ELSE '0' END
                    -- What is shown now was read meanwhile.
                    WHEN x.shows > 0 AND x.seq <= n.read_seq THEN now()
                END
            FROM x, held h
            WHERE n.conversation_id = x.conversation AND n.person_id = x.person AND n.device_id = x.device
                AND n.claim = x.claim AND h.conversation_id = n.conversation_id AND h.person_id = n.person_id
                AND h.device_id = n.device_id
            """
    }

    /// Where nothing is shown and nothing is to be said, there is no row.
    private static func removal(_ jobs: [PushJob]) -> SQL {
        """
        DELETE FROM parley.push_notifications n
        USING unnest(\(jobs.map(\.conversation)), \(jobs.map(\.person)), \(jobs.map(\.device)))
            AS x (conversation, person, device)
        WHERE n.conversation_id = x.conversation AND n.person_id = x.person AND n.device_id = x.device
            AND n.claim IS NULL AND n.due_at IS NULL AND n.pending = 0 AND n.shown_seq IS NULL
        """
    }

    private static func timeline(_ completions: [PushCompletion], on platform: PushPlatform) -> SQL {
        let ended = completions.compactMap { completion in completion.record.map { (completion, $0) } }
        let jobs = ended.map(\.0.job)
        return """
            INSERT INTO parley.push_outcomes (
                conversation_id, person_id, device_id, platform, from_seq, seq, milliseconds, attempts, kind, outcome, reason)
            SELECT x.conversation, x.person, x.device, \(platform.rawValue), x.from_seq, x.seq, x.milliseconds, x.attempts,
                x.kind, x.outcome, x.reason
            FROM unnest(
                \(jobs.map(\.conversation)), \(jobs.map(\.person)), \(jobs.map(\.device)), \(jobs.map(\.fromSeq)),
                \(jobs.map(\.seq)), \(ended.map { Int64($0.0.age / .milliseconds(1)) }),
                \(jobs.map { Int32(clamping: $0.attempts + 1) }), \(ended.map(\.1.kind)), \(ended.map(\.1.outcome)),
                \(ended.map(\.1.reason))
            ) AS x (conversation, person, device, from_seq, seq, milliseconds, attempts, kind, outcome, reason)
            """
    }

    // MARK: Devices

    /// The service took something for a device.
    func accepted(_ job: PushJob, _ kind: PushDecision.Kind, wasRefused: Bool) async throws {
        guard kind == .clear || wasRefused else { return }
        try await pool.execute(
            """
            UPDATE parley.devices d SET refused_at = NULL,
                cleared_at = CASE WHEN \(kind == .clear) THEN now() ELSE d.cleared_at END
            WHERE d.person_id = \(job.person) AND d.device_id = \(job.device)
            """
        )
    }

    /// The app is no longer on the device, unless it has said otherwise since.
    ///
    /// - Returns: whether the device was forgotten.
    func forget(_ job: PushJob, unlessRenewedAfter time: Date?) async throws -> Bool {
        let deleted = try await pool.execute(
            """
            DELETE FROM parley.devices d
            WHERE d.person_id = \(job.person) AND d.device_id = \(job.device)
                AND (\(time)::timestamptz IS NULL OR d.renewed_at <= \(time)::timestamptz)
            """
        )
        return deleted > 0
    }

    func noteRefusal(_ job: PushJob) async throws {
        try await pool.execute(
            """
            UPDATE parley.devices d SET refused_at = coalesce(d.refused_at, now())
            WHERE d.person_id = \(job.person) AND d.device_id = \(job.device)
            """
        )
    }

    func silence(_ job: PushJob, for pause: Duration) async throws {
        try await pool.execute(
            """
            UPDATE parley.devices d SET silent_until = now() + \(pause.interval)
            WHERE d.person_id = \(job.person) AND d.device_id = \(job.device)
            """
        )
    }

    // MARK: Looking after it

    /// Notes for people who look at the whole that a service is left alone, or not any more.
    func note(_ change: PushBreakers.Change) async throws {
        guard let pause = change.pause else {
            try await pool.execute("DELETE FROM parley.push_pauses WHERE origin = \(change.origin)")
            return
        }
        try await pool.execute(
            """
            INSERT INTO parley.push_pauses (origin, until, reason)
            VALUES (\(change.origin), now() + \(pause.interval), \(change.reason))
            ON CONFLICT (origin) DO UPDATE SET until = excluded.until, reason = excluded.reason
            """
        )
    }

    /// Drops what is of no use any more, a limited number at once.
    ///
    /// - Returns: whether there may be more.
    func clean(atMost limit: Int = 10_000) async throws -> Bool {
        let outcomes = try await pool.execute(
            """
            DELETE FROM parley.push_outcomes WHERE ctid IN (
                SELECT ctid FROM parley.push_outcomes WHERE at < now() - interval '7 days' LIMIT \(Int64(limit)))
            """
        )
        let rows = try await pool.execute(
            """
            DELETE FROM parley.push_notifications WHERE ctid IN (
                SELECT ctid FROM parley.push_notifications
                WHERE due_at IS NULL AND newest_at < now() - interval '7 days' LIMIT \(Int64(limit)))
            """
        )
        try await pool.execute("DELETE FROM parley.push_pauses WHERE until < now() - interval '1 day'")
        return outcomes == limit || rows == limit
    }
}
