import EventStore
import Foundation
import Postgres

/// The outbox of push notifications in the database: `parley.push_notifications`.
struct PushQueue: Sendable {
    /// Whoever has claimed a row and does not give it back in this time is taken for dead. Longer than any provider takes.
    static let claimTime = Duration.seconds(30)

    let pool: PostgresPool
    let sessions: ProcessSessions
    let devices: Devices

    /// What was claimed at once.
    struct Claim: Sendable {
        let id: UUID
        let jobs: [PushJob]
    }

    /// Claims rows that are due, the oldest first, but for those of services that are left alone.
    ///
    /// - Parameter underWay: how many are, by service: none gets more than its share.
    func claim(
        _ platform: PushPlatform,
        limit: Int,
        without origins: [String],
        underWay: [String: Int] = [:]
    ) async throws -> Claim {
        let id = UUID()
        let results = try await pool.batch([
            // What a crash of the database loses is claimed again.
            .withoutWaiting,
            Self.claiming(platform, limit: limit, without: origins, underWay: underWay, as: id, by: sessions.key),
        ])
        return Claim(id: id, jobs: try results[1].map(PushJob.init))
    }

    /// Service by service: so nothing is read of what waits for those that are left alone, however much it is.
    static func claiming(
        _ platform: PushPlatform,
        limit: Int,
        without origins: [String],
        underWay: [String: Int] = [:],
        as id: UUID,
        by process: Int32?
    ) -> SQL {
        let busy = Array(underWay)
        let room: SQL = "\(Int64(PushWorker.slotsOfOrigin)) - coalesce(u.under_way, 0)"
        return """
            WITH RECURSIVE \(services(of: platform)), due AS (
                SELECT d.conversation_id, d.person_id, d.device_id FROM services s
                LEFT JOIN unnest(\(busy.map(\.key)), \(busy.map { Int64($0.value) })) AS u (origin, under_way)
                    ON u.origin = s.origin
                CROSS JOIN LATERAL (
                    SELECT n.conversation_id, n.person_id, n.device_id, n.due_at FROM parley.push_notifications n
                    WHERE n.platform = \(platform.rawValue) AND n.origin = s.origin AND n.due_at <= now()
                    ORDER BY n.due_at
                    LIMIT least(\(Int64(limit)), greatest(0, \(room)))
                    FOR UPDATE SKIP LOCKED
                ) d
                WHERE NOT s.origin = ANY (\(origins))
                ORDER BY d.due_at
                LIMIT \(Int64(limit))
            )
            UPDATE parley.push_notifications n SET claim = \(id), claimed_by = \(process),
                due_at = now() + \(claimTime.interval)
            FROM due d
            WHERE n.conversation_id = d.conversation_id AND n.person_id = d.person_id AND n.device_id = d.device_id
            RETURNING n.conversation_id, n.person_id, n.device_id, n.origin, n.message_id, n.newest_at, n.from_seq, n.seq,
                n.shown_seq, n.pending, n.told, n.attempts
            """
    }

    /// A part of `WITH RECURSIVE`: the services for which anything waits, each found from the one before, and NULL after the
    /// last.
    private static func services(of platform: PushPlatform) -> SQL {
        """
        services AS (
            (SELECT n.origin FROM parley.push_notifications n
            WHERE n.platform = \(platform.rawValue) AND n.due_at IS NOT NULL ORDER BY n.origin LIMIT 1)
            UNION ALL
            SELECT (
                SELECT n.origin FROM parley.push_notifications n
                WHERE n.platform = \(platform.rawValue) AND n.due_at IS NOT NULL AND n.origin > s.origin
                ORDER BY n.origin LIMIT 1)
            FROM services s WHERE s.origin IS NOT NULL
        )
        """
    }

    /// Takes their claims from processes that are gone, so that others go on at once.
    ///
    /// - Returns: whether there were any.
    func giveBack(exceptOf living: [Int32]) async throws -> Bool {
        try await pool.execute(
            """
            UPDATE parley.push_notifications n SET claim = NULL, claimed_by = NULL, due_at = now()
            WHERE n.claim IS NOT NULL AND n.claimed_by IS NOT NULL AND NOT n.claimed_by = ANY (\(living))
            """
        ) > 0
    }

    /// When the next row is due; nil where none waits.
    func nextDue(_ platform: PushPlatform, without origins: [String]) async throws -> Date? {
        let rows = try await pool.query(
            """
            WITH RECURSIVE \(Self.services(of: platform))
            SELECT d.due_at FROM services s
            CROSS JOIN LATERAL (
                SELECT n.due_at FROM parley.push_notifications n
                WHERE n.platform = \(platform.rawValue) AND n.origin = s.origin AND n.due_at IS NOT NULL
                ORDER BY n.due_at LIMIT 1
            ) d
            WHERE NOT s.origin = ANY (\(origins))
            ORDER BY d.due_at LIMIT 1
            """
        )
        return try rows.first?.decode("due_at", as: Date.self)
    }

    /// The devices of jobs as they are now, in their order.
    func devices(of jobs: [PushJob]) async throws -> [PushDevice] {
        let rows = try await pool.query(
            """
            SELECT k.n, d.person_id, d.device_id, d.platform, d.key_id, d.sealed, d.preview, d.locale, d.renewed_at,
                d.cleared_at, d.silent_until, d.refused_at, q.from_minute, q.to_minute, q.time_zone
            FROM unnest(\(jobs.map(\.person)), \(jobs.map(\.device))) WITH ORDINALITY AS k (person, device, n)
            JOIN parley.devices d ON d.person_id = k.person AND d.device_id = k.device
            JOIN parley.sessions s ON s.session_id = d.session_id AND s.revoked_at IS NULL
                AND s.refresh_expires_at > now()
            LEFT JOIN parley.quiet_hours q ON q.person_id = d.person_id
            WHERE d.renewed_at > now() - make_interval(days => \(Int32(Devices.lifetimeDays)))
            ORDER BY k.n
            """
        )
        var sealed: [(person: UUID, device: UUID, platform: PushPlatform, sealed: SealedDraft)] = []
        for row in rows {
            sealed.append(
                (
                    try row.decode("person_id"), try row.decode("device_id"),
                    PushPlatform(rawValue: try row.decode("platform")) ?? .fcm,
                    SealedDraft(key: try row.decode("key_id"), bytes: try row.decode("sealed", as: Bytes.self).bytes)
                )
            )
        }
        let addresses = try await devices.addresses(sealed)
        var found = [PushDevice](repeating: PushDevice(), count: jobs.count)
        for (row, address) in zip(rows, addresses) {
            let place = Int(try row.decode("n", as: Int64.self)) - 1
            guard found.indices.contains(place) else { continue }
            found[place] = try PushDevice(row, address)
        }
        return found
    }
}

extension PushDevice {
    fileprivate init(_ row: Row, _ address: PushAddress?) throws {
        self.address = address
        preview = PushPreview(rawValue: try row.decode("preview")) ?? .none
        locale = try row.decode("locale")
        renewedAt = try row.decode("renewed_at")
        clearedAt = try row.decode("cleared_at")
        silentUntil = try row.decode("silent_until")
        refusedAt = try row.decode("refused_at")
        guard let zone = try row.decode("time_zone", as: String?.self) else { return }
        quietHours = QuietTime(
            from: Int(try row.decode("from_minute", as: Int16.self)),
            to: Int(try row.decode("to_minute", as: Int16.self)),
            timeZone: zone
        )
    }
}
