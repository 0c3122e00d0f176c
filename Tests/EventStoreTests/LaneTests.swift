import EventSourcing
import EventStore
import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

@Suite(.database) struct LaneTests {
    let ada = UUID()
    let grace = UUID()
    let alan = UUID()
    let room = UUID()

    @Test func `concurrent sends are numbered without holes or doubles`() async throws {
        try await TestStore.with { [self] store in
            try await store.register(ada, grace, alan)
            _ = try await store.startGroup(room, owner: ada, others: [grace, alan])
            let seqs = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for number in 0..<300 {
                    group.addTask { try await store.send("message \(number)", to: room, by: ada).sentSeq }
                }
                return try await group.reduce(into: [Int64]()) { $0.append($1 ?? 0) }
            }
            #expect(seqs.sorted() == Array(1...300))
            let versions = try await store.store.log.events(of: StreamID(.conversation, room), after: 0, limit: 1_000)
                .map(\.version)
            #expect(versions == Array(1...301))
        }
    }

    @Test func `two processes on one conversation lose nothing and double nothing`() async throws {
        try await TestStore.with { [self] one in
            try await one.register(ada, grace, alan)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            try await TestStore.with { [self] other in
                let seqs = try await withThrowingTaskGroup(of: Int64?.self) { group in
                    for number in 0..<200 {
                        let store = number.isMultiple(of: 2) ? one : other
                        group.addTask { try await store.send("message \(number)", to: room, by: grace).sentSeq }
                    }
                    return try await group.reduce(into: [Int64]()) { $0.append($1 ?? 0) }
                }
                #expect(seqs.sorted() == Array(1...200))
                let texts = try await other.everything().compactMap(\.message?.text)
                #expect(Set(texts).count == 200)
                #expect(texts.count == 200)
            }
        }
    }

    @Test func `a lane asks where its partitions end only after somebody else has appended`() async throws {
        try await TestStore.with { [self] one in
            try await one.register(ada, grace, alan)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            #expect(try await one.send("one", to: room, by: ada).sentSeq == 1)
            let administrator = TestDatabase.current.administrator
            // The way that asks.
            try await administrator.execute("REVOKE EXECUTE ON FUNCTION parley.append FROM parley_server")
            #expect(try await one.send("two", to: room, by: ada).sentSeq == 2)
            #expect(try await one.send("three", to: room, by: grace).sentSeq == 3)
            try await administrator.execute("GRANT EXECUTE ON FUNCTION parley.append TO parley_server")
            try await TestStore.with { [self] other in
                for (text, store, sender) in [("four", other, alan), ("five", one, ada), ("six", other, alan)] {
                    _ = try await store.send(text, to: room, by: sender)
                }
            }
            let events = try await one.everything().filter { $0.stream.id == room }
            #expect(events.map(\.version) == Array(1...7))
            #expect(events.compactMap(\.message?.text) == ["one", "two", "three", "four", "five", "six"])
        }
    }

    @Test func `a repeated command is answered as the first time, by any process`() async throws {
        let id = UUID()
        try await TestStore.with { [self] one in
            try await one.register(ada, grace, alan)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            let first = try await one.send("hello", to: room, by: ada, id: id)
            #expect(!first.isReplay)
            try await TestStore.with { [self] other in
                for store in [one, other, one] {
                    let again = try await store.send("hello", to: room, by: ada, id: id)
                    #expect(again.isReplay)
                    #expect(again.sentSeq == first.sentSeq)
                    #expect(again.milliseconds == first.milliseconds)
                }
                await #expect(throws: CommandError.idConflict) {
                    try await other.send("something else", to: room, by: ada, id: id)
                }
                await #expect(throws: CommandError.idConflict) {
                    try await other.send("hello", to: room, by: grace, id: id)
                }
            }
            let messages = try await one.everything().compactMap(\.message)
            #expect(messages.count == 1)
        }
    }

    @Test func `a command repeated many times at once takes effect once`() async throws {
        let id = UUID()
        try await TestStore.with { [self] one in
            try await one.register(ada, grace, alan)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            try await TestStore.with { [self] other in
                let seqs = try await withThrowingTaskGroup(of: Int64?.self) { group in
                    for number in 0..<60 {
                        let store = number.isMultiple(of: 2) ? one : other
                        group.addTask { try await store.send("hello", to: room, by: ada, id: id).sentSeq }
                    }
                    return try await group.reduce(into: [Int64]()) { $0.append($1 ?? 0) }
                }
                #expect(Set(seqs) == [1])
                let messages = try await one.everything().compactMap(\.message).count
                #expect(messages == 1)
            }
        }
    }

    @Test func `a repeated send is answered although its sender was removed since`() async throws {
        let id = UUID()
        try await TestStore.with { [self] store in
            try await store.register(ada, grace, alan)
            _ = try await store.startGroup(room, owner: ada, others: [grace, alan])
            _ = try await store.send("hello", to: room, by: grace, id: id)
            _ = try await store.handle(
                .removeParticipant(RemoveParticipant(actor: ada, person: grace)),
                on: room,
                by: ada
            )
            let again = try await store.send("hello", to: room, by: grace, id: id)
            #expect(again.isReplay)
            await #expect(throws: ConversationRejection.noLongerAMember) {
                try await store.send("more", to: room, by: grace)
            }
        }
    }

    @Test func `a refusal is never based on what another process has overtaken`() async throws {
        let bender = UUID()
        try await TestStore.with { [self] one in
            try await one.register(ada, grace, alan, bender)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            try await TestStore.with { [self] other in
                await #expect(throws: ConversationRejection.notFound) {
                    try await other.send("knock", to: room, by: bender)
                }
                // The other process remembers the room without its newest member now.
                try await one.put(bender, into: room, by: ada)
                #expect(try await other.send("hello", to: room, by: bender).sentSeq == 1)
                // And a mark beyond the head that it knows is not cut off.
                _ = try await one.send("two", to: room, by: ada)
                let advanced = try await other.handle(
                    .advanceReceipts([ReceiptAdvance(person: grace, deliveredSeq: nil, readSeq: 2)]),
                    on: room,
                    by: grace
                )
                #expect(advanced.answer.members[grace]?.readSeq == 2)
            }
        }
    }

    @Test func `moved marks are answered as they stand, whoever moved them last`() async throws {
        try await TestStore.with { [self] one in
            try await one.register(ada, grace, alan)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            for number in 1...4 { _ = try await one.send("message \(number)", to: room, by: ada) }
            try await TestStore.with { [self] other in
                func advance(_ store: TestStore, delivered: Int64?, read: Int64?) async throws -> Conversation {
                    try await store.handle(
                        .advanceReceipts([ReceiptAdvance(person: grace, deliveredSeq: delivered, readSeq: read)]),
                        on: room,
                        by: grace
                    ).answer
                }
                _ = try await advance(other, delivered: 1, read: 1)
                _ = try await advance(one, delivered: 3, read: 3)
                _ = try await one.send("message 5", to: room, by: ada)
                // The other process remembers read 1 and head 4.
                let state = try await advance(other, delivered: 4, read: nil)
                #expect(state.members[grace]?.readSeq == 3)
                #expect(state.members[grace]?.deliveredSeq == 4)
                #expect(state.headSeq == 5)
            }
        }
    }

    @Test func `a receipt asks the log nothing, until somebody else has appended`() async throws {
        try await TestStore.with { [self] one in
            try await one.register(ada, grace, alan)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            for number in 1...4 { _ = try await one.send("message \(number)", to: room, by: ada) }
            _ = try await one.advance(grace, to: 1, in: room)
            let administrator = TestDatabase.current.administrator
            try await administrator.execute("REVOKE SELECT ON parley.events FROM parley_server")
            #expect(try await one.advance(grace, to: 2, in: room).answer.members[grace]?.readSeq == 2)
            #expect(try await one.advance(alan, to: 9, in: room).answer.members[alan]?.readSeq == 4)
            try await administrator.execute("GRANT SELECT ON parley.events TO parley_server")
            try await TestStore.with { [self] other in
                for round in 1...3 {
                    _ = try await other.send("elsewhere \(round)", to: room, by: alan)
                    let state = try await one.advance(grace, to: .max, in: room).answer
                    #expect(state.headSeq == Int64(4 + round))
                    #expect(state.members[grace]?.readSeq == Int64(4 + round))
                    _ = try await one.advance(ada, to: Int64(round), in: room)
                }
            }
        }
    }

    @Test func `one command's bad data fails alone`() async throws {
        try await TestStore.with(lanes: 1) { [self] store in
            try await store.register(ada, grace, alan)
            _ = try await store.startGroup(room, owner: ada, others: [grace, alan])
            try await TestDatabase.current.administrator.execute(
                """
                ALTER TABLE parley.events ADD CONSTRAINT test_poison
                CHECK (command_id <> '00000000-0000-4000-8000-000000000666'::uuid)
                """
            )
            let poison = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000666"))
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    let id = number == 20 ? poison : UUID()
                    group.addTask { (try? await store.send("m \(number)", to: room, by: ada, id: id)) != nil }
                }
                return await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 } == 39)
            #expect(try await store.everything().compactMap(\.message?.seq).sorted() == Array(1...39))
        }
    }

    @Test func `lost connections lose and double nothing that was acknowledged`() async throws {
        try await TestStore.with { [self] store in
            try await store.register(ada, grace, alan)
            _ = try await store.startGroup(room, owner: ada, others: [grace, alan])
            let acknowledged = try await withThrowingTaskGroup(of: (String, Int64?).self) { group in
                for number in 0..<200 {
                    group.addTask {
                        if number.isMultiple(of: 40) {
                            try await retrying { try await endAllOtherSessions() }
                        }
                        let text = "message \(number)"
                        return (text, try await retrying { try await store.send(text, to: room, by: ada).sentSeq })
                    }
                }
                return try await group.reduce(into: [String: Int64?]()) { $0[$1.0] = $1.1 }
            }
            let stored = try await retrying { try await store.everything() }.compactMap(\.message)
            #expect(stored.count == 200)
            for message in stored { #expect(acknowledged[message.text ?? ""] == message.seq) }
        }
    }

    @Test func `a long history is loaded from a snapshot and its tail`() async throws {
        try await TestStore.with { [self] store in
            try await store.register(ada, grace, alan)
            _ = try await store.startGroup(room, owner: ada, others: [grace, alan])
            for batch in 0..<7 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<100 {
                        group.addTask { _ = try await store.send("\(batch) \(number)", to: room, by: ada) }
                    }
                    try await group.waitForAll()
                }
            }
            // Stored once, with at least as many events.
            try await store.waitForSnapshot(of: room, at: 512)
        }
        // The stored state says something that no event does: who is let in shows that it was read.
        let changed = try await TestDatabase.current.administrator.execute(
            """
            UPDATE parley.state_snapshots
            SET state = convert_to(
                jsonb_set(convert_from(state, 'UTF8')::jsonb, '{joinPolicy}', '"open"')::text, 'UTF8')
            WHERE entity_id = \(room)
            """
        )
        #expect(changed == 1)
        try await TestStore.with { [self] store in
            let stranger = UUID()
            try await store.register(stranger)
            let next = try await store.send("after", to: room, by: grace).sentSeq
            #expect(next == 701)
            let joined = try await store.handle(
                .join(Join(person: stranger, maxMembers: 100)),
                on: room,
                by: stranger
            )
            #expect(joined.answer.members[stranger]?.fromSeq == 701)
        }
    }

    @Test(arguments: OwnSetting.allCases)
    func `two processes on one group let each other go on, sends and what members set crosswise`(
        setting: OwnSetting
    ) async throws {
        try await TestStore.with(lanes: 1) { [self] one in
            try await one.register(ada, grace, alan)
            _ = try await one.startGroup(room, owner: ada, others: [grace, alan])
            try await TestStore.with(lanes: 1) { [self] other in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (store, sender, reader) in [(one, ada, grace), (other, alan, grace)] {
                        group.addTask {
                            for turn in 0..<60 {
                                let handled = try await store.send("hello", to: room, by: sender)
                                let sent = try #require(handled.events.first?.message)
                                for command in setting.commands(of: reader, on: sent, isOn: turn.isMultiple(of: 2)) {
                                    let answer = try await store.handle(command, on: room, by: reader).answer
                                    guard setting == .receipts else { continue }
                                    #expect(answer.members[reader]?.readSeq ?? 0 >= sent.seq)
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let events = try await one.everything().filter { $0.stream.id == room }
                #expect(events.compactMap(\.message?.seq).sorted() == Array(1...120))
                // What demands a version is the sends alone: nothing of it could have been in their way.
                let ordered = events.filter { $0.stream.category == .conversation }
                #expect(ordered.map(\.version) == Array(1...121))
                #expect(events.count > ordered.count)
                #expect(try await other.advance(grace, to: 120, in: room).answer.members[grace]?.readSeq == 120)
            }
        }
    }
}

private func endAllOtherSessions() async throws {
    try await TestDatabase.current.administrator.execute(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """
    )
}

/// Repeats an operation that a lost connection of the pool may fail; lanes repeat by themselves.
func retrying<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
    for _ in 0..<50 {
        do { return try await operation() } catch is PostgresConnectionError {} catch let error as PostgresError
            where error.sqlState.isClass("57")
        {}
    }
    return try await operation()
}
