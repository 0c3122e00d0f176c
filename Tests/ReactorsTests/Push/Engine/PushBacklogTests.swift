import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct PushBacklogTests {
    private static let closed = "closed.example.org"
    private static let open = "open.example.org"
    private static let openRows = 20

    @Test func `what waits for a service that is left alone is not read when others' is claimed`() async throws {
        try await PushWorld.with { world in
            try await Self.fill(world)
            let statement = PushQueue.claiming(.webPush, limit: 64, without: [Self.closed], as: UUID(), by: nil)
            let rows = try await world.pool.query("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + statement)
            let json = try #require(try rows.first?.decode(0, as: JSONText.self))
            let explained = try JSONDecoder().decode([Explained].self, from: Data(json.bytes))
            let scans = try #require(explained.first).plan.scans
            #expect(!scans.contains { $0.type == "Seq Scan" }, "it is read from end to end")
            #expect(scans.contains { $0.index == "push_notifications_service_idx" })
            let read = scans.reduce(0) { $0 + $1.read }
            #expect(read < 1_000, "\(read) rows are read")
            let claimed = try await world.pool.query(
                "SELECT n.origin FROM parley.push_notifications n WHERE n.claim IS NOT NULL"
            )
            let origins = try claimed.map { try $0.decode(0, as: String.self) }
            #expect(origins == Array(repeating: Self.open, count: Self.openRows))
        }
    }

    @Test func `of all services the oldest are claimed, and what is due next is that of those that are not left alone`()
        async throws
    {
        try await PushWorld.with { world in
            try await Self.fill(world)
            let queue = PushQueue(pool: world.pool, sessions: world.log.store.sessions, devices: world.devices)
            let first = try #require(try await queue.nextDue(.webPush, without: []))
            let next = try #require(try await queue.nextDue(.webPush, without: [Self.closed]))
            #expect(first < next)
            #expect(try await queue.nextDue(.webPush, without: [Self.closed, Self.open]) == nil)
            #expect(try await queue.nextDue(.apns, without: []) == nil)
            let oldest = try await queue.claim(.webPush, limit: 10, without: [])
            #expect(oldest.jobs.map(\.origin) == Array(repeating: Self.closed, count: 10))
            let others = try await queue.claim(.webPush, limit: 64, without: [Self.closed])
            #expect(others.jobs.count == Self.openRows && others.jobs.allSatisfy { $0.origin == Self.open })
            #expect(try await queue.claim(.webPush, limit: 64, without: [Self.closed]).jobs.isEmpty)
            #expect(try await queue.claim(.webPush, limit: 64, without: [Self.closed, Self.open]).jobs.isEmpty)
        }
    }

    @Test func `a service of which much is under way gets what is left of its share, and leaves the rest to others`()
        async throws
    {
        try await PushWorld.with { world in
            try await Self.fill(world)
            let queue = PushQueue(pool: world.pool, sessions: world.log.store.sessions, devices: world.devices)
            let underWay = [Self.closed: PushWorker.slotsOfOrigin - 6]
            let claim = try await queue.claim(.webPush, limit: 64, without: [], underWay: underWay)
            #expect(claim.jobs.count { $0.origin == Self.closed } == 6)
            #expect(claim.jobs.count { $0.origin == Self.open } == Self.openRows)
            let full = [Self.closed: PushWorker.slotsOfOrigin + 1]
            #expect(try await queue.claim(.webPush, limit: 64, without: [], underWay: full).jobs.isEmpty)
        }
    }

    /// Fifty thousand for a service that is left alone, and a few, which are newer, for another one.
    private static func fill(_ world: PushWorld) async throws {
        let device = try await world.register(PushWorld.fcm(), of: world.grace)
        let administrator = TestDatabase.current.administrator
        try await administrator.execute(
            """
            INSERT INTO parley.push_notifications (due_at, newest_at, from_seq, seq, pending, conversation_id, person_id,
                device_id, message_id, sender_id, platform, origin)
            SELECT now() - make_interval(secs => x.n), now(), 1, 1, 1, gen_random_uuid(), \(world.grace), \(device),
                gen_random_uuid(), \(world.ada), \(PushPlatform.webPush.rawValue),
                CASE WHEN x.n <= \(Int64(openRows)) THEN \(open) ELSE \(closed) END
            FROM generate_series(1, 50000 + \(Int64(openRows))) AS x (n)
            """
        )
        try await administrator.execute("ANALYZE parley.push_notifications")
    }

    private struct Explained: Decodable {
        let plan: Node

        enum CodingKeys: String, CodingKey {
            case plan = "Plan"
        }
    }

    /// A node of a plan, and how many rows came to it.
    private struct Node: Decodable {
        let type: String
        let relation: String?
        let index: String?
        let rows: Double
        let loops: Double
        let removed: Double?
        let plans: [Node]?

        enum CodingKeys: String, CodingKey {
            case type = "Node Type"
            case relation = "Relation Name"
            case index = "Index Name"
            case rows = "Actual Rows"
            case loops = "Actual Loops"
            case removed = "Rows Removed by Filter"
            case plans = "Plans"
        }

        var read: Double { (rows + (removed ?? 0)) * loops }

        /// Those that read the outbox.
        var scans: [Node] {
            let own = type.hasSuffix("Scan") && relation == "push_notifications" ? [self] : []
            return own + (plans ?? []).flatMap(\.scans)
        }
    }
}
