import Foundation
import ParleyWire
import Postgres

/// A send to a conversation of 10^6 events, if nobody says another number, of which no state is stored, while others send:
/// it is answered as soon as its history is read, and the others do not notice.
struct ColdLoadRow: BenchRow {
    private static let connections = 16
    /// Events that are filled in by one statement.
    private static let portion = 20_000

    func measure(_ subject: Subject) async throws -> [Finding] {
        let settings = subject.settings
        let events = settings.coldEvents
        let groups = try await subject.crowd.groups(settings.groups, of: 3)
        let long = try await subject.crowd.groups(1, of: 3)[0]
        try await makeHistory(of: events, in: long, subject)
        // Below what the cores are busy with, or projecting the load would be measured instead.
        let others = ScheduledSends(subject: subject, groups: groups, connections: Self.connections)
        let rate = max(settings.rate / 5, 1)
        let quiet = try await others.run("others alone", rate: rate, seconds: settings.seconds)
        async let busy = others.run("others beside the load", rate: rate, seconds: settings.seconds)
        // It is loading when the others have warmed up.
        try await Task.sleep(for: .seconds(3))
        let asked = ContinuousClock.now
        let tries = try await send(to: long, subject)
        let answered = ContinuousClock.now
        let during = try await busy
        let plain = try await readRate(of: long, subject)
        return [
            Finding(
                .coldLoad,
                "first send to \(FigureUnit.count.text(Double(events))) events without a state, events",
                [Double(events) / (answered - asked).seconds],
                .perSecond,
                yardstick: .init("reading the same rows in PostgreSQL", [plain], .perSecond),
                details: ["answered after, s": (answered - asked).seconds, "tries": Double(tries)]
            ),
            Finding(
                .coldLoad,
                "others meanwhile, at \(rate)/s, answers p99",
                [during.answers.latencies.percentile(99)],
                .milliseconds,
                yardstick: .init("before", [quiet.answers.latencies.percentile(99)], .milliseconds)
            ),
            Finding(.coldLoad, "the same, max", [during.answers.latencies.max], .milliseconds),
        ]
    }

    /// Fills a group's history beside the server, as sends would take minutes, and waits until it is projected.
    private func makeHistory(of events: Int, in group: Crowd.Group, _ subject: Subject) async throws {
        try await subject.crowd.say("the first", in: group, by: group.people[0])
        try await subject.server.withDatabase { connection in
            try await fill(group, events, subject, on: connection)
            let heads = try await connection.query("SELECT count(*) FROM parley.events")
            let total = Int(clamping: try heads.first?.decode(0, as: Int64.self) ?? 0)
            try await waitForProjector(upTo: total, subject)
            try await connection.execute("DELETE FROM parley.state_snapshots")
            try await connection.execute("ANALYZE parley.events")
            // What filling left to be written is not measured.
            try await connection.execute("CHECKPOINT")
        }
    }

    private func fill(
        _ group: Crowd.Group,
        _ events: Int,
        _ subject: Subject,
        on connection: PostgresConnection
    ) async throws {
        subject.progress.begin("filling a history", total: events)
        defer { subject.progress.end() }
        var left = events
        while left > 0 {
            let count = min(left, Self.portion)
            try await append(count, to: group, on: connection)
            subject.progress.advance(by: count)
            left -= count
        }
    }

    /// Messages behind the group's newest, their payload as the server writes it.
    private func append(_ count: Int, to group: Crowd.Group, on connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO parley.events (
                position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, schema_version,
                category, type, payload)
            SELECT h.position + n, h.version + n, now(), h.partition, 0, h.stream_id, gen_random_uuid(), h.actor, 1,
                'conversation', 'messageSent', format('{"recipientCount":2,"seq":%s}', h.seq + n)::json
            FROM (
                SELECT e.partition, e.stream_id, e.actor, e.version, (e.payload->>'seq')::bigint AS seq,
                    (SELECT max(x.position) FROM parley.events x WHERE x.partition = e.partition) AS position
                FROM parley.events e
                WHERE e.stream_id = \(group.id.uuid) AND e.category = 'conversation'
                ORDER BY e.version DESC LIMIT 1
            ) h, generate_series(1, \(Int64(count))) n
            """
        )
    }

    private func waitForProjector(upTo total: Int, _ subject: Subject) async throws {
        let before = try await subject.server.projectedEvents()
        subject.progress.begin("projecting it", total: max(total - before, 0))
        defer { subject.progress.end() }
        var projected = before
        while projected < total {
            try await Task.sleep(for: .milliseconds(100))
            projected = try await subject.server.projectedEvents()
            subject.progress.advance(to: projected - before)
        }
    }

    /// Sends until it is answered; who has waited too long is told to come back.
    private func send(to group: Crowd.Group, _ subject: Subject) async throws -> Int {
        let body = SendMessageRequest(text: "after a long time")
        let path = "/v1/conversations/\(group.id)/messages/\(FreshIDs.make())"
        for tries in 1...100 {
            let answer = try await group.people[1].account.send(.put(path, body))
            if answer.isSuccess { return tries }
        }
        throw APIFailure.unexpected(request: "send", answer: "no success in 100 tries")
    }

    /// Rows per second that PostgreSQL reads of the history by itself.
    private func readRate(of group: Crowd.Group, _ subject: Subject) async throws -> Double {
        try await subject.server.withDatabase { connection in
            let began = ContinuousClock.now
            let rows = try await connection.query(
                """
                SELECT count(*), sum(length(x.payload::text)), max(x.recorded_at)
                FROM (
                    SELECT * FROM parley.events e
                    WHERE e.stream_id = \(group.id.uuid) AND e.category = 'conversation'
                    ORDER BY e.version
                ) x
                """
            )
            return Double(try rows.first?.decode(0, as: Int64.self) ?? 0) / (ContinuousClock.now - began).seconds
        }
    }
}
