import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(.database) struct LogTests {
    let ada = UUID()
    let grace = UUID()
    let alan = UUID()
    let room = UUID()

    @Test func `the server's role can change nothing in the log or any of its partitions`() async throws {
        try await TestStore.with { [self] store in
            try await store.register(ada, grace, alan)
            let tables = try await TestDatabase.current.pool.query(
                "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'parley.events'::regclass"
            ).map { try $0.decode(0, as: String.self) }
            #expect(tables.count == 4)
            let names = ["events"] + tables.map { $0.replacing("parley.", with: "") }
            for name in names {
                let table: SQL = "parley.\(identifier: name)"
                for change: SQL in [
                    "UPDATE \(table) SET position = position", "DELETE FROM \(table)", "TRUNCATE \(table)",
                    "INSERT INTO \(table) SELECT * FROM parley.events", "DROP TABLE \(table)",
                ] {
                    await #expect(
                        performing: {
                            try await TestDatabase.current.pool.execute(change)
                        },
                        throws: { ($0 as? PostgresError)?.sqlState == .insufficientPrivilege }
                    )
                }
                // Not even whoever owns everything does it by mistake.
                await #expect(
                    performing: {
                        try await TestDatabase.current.administrator.execute("TRUNCATE \(table)")
                    },
                    throws: { ($0 as? PostgresError)?.sqlState == .insufficientPrivilege }
                )
            }
            for change: SQL in ["DELETE FROM parley.events", "UPDATE parley.events SET version = 7"] {
                await #expect(
                    performing: {
                        try await TestDatabase.current.administrator.execute(change)
                    },
                    throws: { ($0 as? PostgresError)?.sqlState == .insufficientPrivilege }
                )
            }
            #expect(try await store.everything().count == 3)
        }
    }

    @Test func `append refuses any isolation but read committed`() async throws {
        try await TestStore.with { _ in
            await #expect(throws: PostgresError.self) {
                try await TestDatabase.current.pool.withTransaction(.repeatableRead) { connection in
                    try await connection.query(
                        """
                        SELECT * FROM parley.append(
                            '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
                            '{}', '{}', '{}', '{}')
                        """
                    )
                }
            }
        }
    }

    @Test func `texts and names are nowhere in the log, and gone with their key`() async throws {
        let text = "a very particular sentence"
        try await TestStore.with { [self] store in
            try await store.register(ada, grace, alan)
            _ = try await store.startGroup(room, owner: ada, others: [grace, alan], name: "a particular name")
            _ = try await store.send(text, to: room, by: ada)
            let rows = try await TestDatabase.current.pool.query("SELECT e::text FROM parley.events e")
            #expect(rows.count == 5)
            for row in rows {
                let dump = try row.decode(0, as: String.self)
                for word in [text, "particular", Data("particular".utf8).map { String(format: "%02x", $0) }.joined()] {
                    #expect(!dump.contains(word))
                }
            }
            #expect(try await store.everything().compactMap(\.message?.text) == [text])
        }
        try await TestDatabase.current.administrator.execute("DELETE FROM parley.person_keys WHERE person_id = \(ada)")
        try await TestStore.with { store in
            let messages = try await store.everything().compactMap(\.message)
            #expect(messages.map(\.text) == [nil])
            #expect(messages.map(\.seq) == [1])
        }
    }

    @Test func `the feed passes on everything once and in order, whoever wrote it`() async throws {
        try await TestStore.with { [self] one in
            try await one.register(ada, grace, alan)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            try await TestStore.with { [self] other in
                let partition = one.store.identity.partition(of: room)
                async let followed = follow(one.store.feed, partition: partition, messages: 120)
                for number in 0..<120 {
                    let store = number % 3 == 0 ? one : other
                    _ = try await store.send("message \(number)", to: room, by: alan)
                }
                let events = try await followed
                let first = try #require(events.first)
                #expect(events.map(\.position) == Array(first.position..<first.position + Int64(events.count)))
                #expect(events.compactMap(\.message?.seq) == Array(1...120))
            }
        }
    }

    @Test func `a hint has the feed look at once, where it knows less`() async throws {
        try await TestStore.with { [self] one in
            try await one.register(ada, grace, alan)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            let committed = Mutex<[Int: Int64]>([:])
            one.store.feed.onCommit { events in
                committed.withLock { for event in events { $0[event.partition] = event.position } }
            }
            try await TestStore.with(isPolling: false) { [self] other in
                let feed = other.store.feed
                try await feed.poll()
                _ = try await one.send("Hello", to: room, by: ada)
                let partition = one.store.identity.partition(of: room)
                let head = try #require(committed.withLock { $0[partition] })
                #expect(feed.head(of: partition) < head)
                // What no log has is nothing that the feed believes.
                feed.hint([partition: head + 1_000, 9_999: 1])
                for await _ in feed.changes() where feed.head(of: partition) >= head { break }
                #expect(feed.head(of: partition) == head)
            }
        }
    }

    @Test func `a hint of more than is read at once has the feed see all of it, in order`() async throws {
        try await TestStore.with { [self] one in
            try await one.register(ada, grace, alan)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            try await TestStore.with(isPolling: false) { [self] other in
                let (feed, partition) = (other.store.feed, one.store.identity.partition(of: room))
                try await feed.poll()
                let before = feed.head(of: partition)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<300 {
                        group.addTask { _ = try await one.send("message \(number)", to: room, by: ada) }
                    }
                    try await group.waitForAll()
                }
                feed.hint([partition: before + 300])
                for await _ in feed.changes() where feed.head(of: partition) >= before + 300 { break }
                var positions: [Int64] = []
                // In pages, as of any long tail.
                while positions.count < 300 {
                    let after = positions.last ?? before
                    let page = try await feed.events(partition: partition, after: after, limit: 1_000)
                    try #require(!page.isEmpty)
                    positions += page.map(\.position)
                }
                #expect(positions == Array(before + 1...before + 300))
            }
        }
    }

    @Test func `a hint of many partitions has the feed see all of them`() async throws {
        try await TestStore.with(partitions: 8) { one in
            try await TestStore.with(partitions: 8, isPolling: false) { other in
                let feed = other.store.feed
                try await feed.poll()
                for _ in 0..<60 { try await one.register(UUID()) }
                try await one.store.feed.poll()
                let heads = one.store.feed.heads
                #expect(heads.count { $0 > 0 } > 4)
                feed.hint(Dictionary(heads.enumerated().map { ($0.offset, $0.element) }) { $1 })
                for await _ in feed.changes() where feed.heads == heads { break }
                #expect(feed.heads == heads)
            }
        }
    }

    private func follow(_ feed: Feed, partition: Int, messages: Int) async throws -> [RecordedEvent] {
        var events: [RecordedEvent] = []
        for await _ in feed.changes() {
            while true {
                let page = try await feed.events(
                    partition: partition,
                    after: events.last?.position ?? 0,
                    limit: 7
                )
                if page.isEmpty { break }
                events += page
            }
            if events.count(where: { $0.message != nil }) >= messages { break }
        }
        return events
    }

    @Test func `the tail of an aggregate begins past a position and reads only its own streams`() async throws {
        try await TestStore.with { [self] store in
            try await store.register(ada, grace, alan)
            let rooms = (0..<6).map { _ in UUID() }
            for room in rooms { _ = try await store.startGroup(room, owner: ada, others: [grace, alan]) }
            for number in 0..<60 { _ = try await store.send("\(number)", to: rooms[number % 6], by: ada) }
            let room = rooms[2]
            let all = try await store.everything().filter { $0.stream.id == room }.sorted { $0.position < $1.position }
            #expect(all.count == 11)
            for cut in [0, all[0].position, all[5].position, all[10].position, .max] {
                let tail = try await store.store.log.tail(
                    of: room,
                    categories: [.conversation, .receipts],
                    after: cut,
                    upTo: .max,
                    limit: 100
                )
                #expect(tail.map(\.position) == all.map(\.position).filter { $0 > cut })
            }
        }
    }

    @Test func `partitions are where they always were`() throws {
        let ids = ["00000000-0000-4000-8000-000000000001", "ffffffff-ffff-4fff-bfff-ffffffffffff"]
        let uuids = try ids.map { try #require(UUID(uuidString: $0)) }
        #expect(uuids.map { PartitionHash.partition(of: $0, count: 16) } == [13, 9])
        #expect(uuids.map { PartitionHash.partition(of: $0, count: 256) } == [109, 201])
    }
}
