import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Live
import Messaging
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import API

/// Who does not want to hear from whom, over HTTP and the stream.
@Suite(.database, .timeLimit(.minutes(10))) struct BlocksTests {
    private func put(_ person: Person, _ other: Person) async throws -> Answer {
        try await person.send(.put, "/v1/blocks/\(other.id)")
    }

    private func send(_ person: Person, to id: WireID) async throws -> Answer {
        let path = "/v1/conversations/\(id)/messages/\(WireID())"
        return try await person.send(.put, path, body: .object(["text": .string("Hi")]))
    }

    private func list(_ person: Person, _ query: String = "") async throws -> ListPage<ParleyWire.Block> {
        try await person.get(ListPage<ParleyWire.Block>.self, "/v1/blocks\(query)")
    }

    @Test func `a block of somebody to whom nothing was said leaves the database right`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let blocked = try await put(ada, bob)
            _ = try await ada.get(ListPage<ParleyWire.Block>.self, "/v1/blocks", after: blocked)
            let verification = Verification(pool: TestDatabase.current.pool, partitions: 4, includingLog: true)
            #expect(try await verification.run().findings.isEmpty)
        }
    }

    @Test func `the caller's blocks are listed, the newest first, and for nobody else`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            var others: [Person] = []
            for number in 0..<3 { others.append(try await server.register("Other \(number)")) }
            for (number, other) in others.enumerated() {
                let block = try await put(ada, other).decode(ParleyWire.Block.self, status: .created)
                #expect(block.userId == other.id && block.displayName == "Other \(number)")
                // Put once more, it is the same.
                #expect(try await put(ada, other).decode(ParleyWire.Block.self, status: .ok) == block)
            }
            let first = try await list(ada, "?limit=2")
            #expect(first.items.map(\.userId) == [others[2].id, others[1].id])
            let cursor = try #require(first.nextCursor)
            let second = try await list(ada, "?limit=2&cursor=\(cursor)")
            #expect(second.items.map(\.userId) == [others[0].id] && second.nextCursor == nil)
            for other in others { #expect(try await list(other).items.isEmpty) }
            for _ in 0..<2 {
                let removed = try await ada.send(.delete, "/v1/blocks/\(others[1].id)")
                #expect(removed.status == .noContent)
                let left = try await ada.get(ListPage<ParleyWire.Block>.self, "/v1/blocks", after: removed).items
                #expect(left.map(\.userId) == [others[2].id, others[0].id])
            }
        }
    }

    @Test func `neither writes to the other, and who is blocked is not told why`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            _ = try await put(ada, bob)
            let own = try await send(ada, to: id)
            try own.expect(.forbidden)
            #expect(own.text.contains("blocked"))
            let others = try await send(bob, to: id)
            try others.expect(.forbidden)
            #expect(!others.text.contains("block"))
            // The conversation is there for both, as it was.
            #expect(try await bob.talk(to: ada).id == id)
            #expect(try await bob.get(ParleyWire.Conversation.self, "/v1/conversations/\(id)").headSeq == 0)
            _ = try await ada.send(.delete, "/v1/blocks/\(bob.id)")
            #expect(try await send(bob, to: id).status == .created)
        }
    }

    @Test func `neither shows the other that one types, or pins anything for the other`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let id = try await ada.talk(to: bob).id
            let (kept, other) = (try await ada.say("Kept", in: id), try await ada.say("Other", in: id))
            #expect(try await bob.send(.put, "\(kept.path)/pin").status == .ok)
            _ = try await put(ada, bob)
            for person in [ada, bob] {
                let refused = try await send(person, to: id).problem()
                let typing: JSONValue = .object(["typing": .bool(true)])
                for answer in [
                    try await person.send(.post, "/v1/conversations/\(id)/typing", body: typing),
                    try await person.send(.put, "\(other.path)/pin"),
                ] {
                    try answer.expect(.forbidden)
                    let problem = try answer.problem()
                    #expect(problem.detail == refused.detail)
                }
            }
            // What was pinned before can be taken away.
            #expect(try await bob.send(.delete, "\(kept.path)/pin").status == .noContent)
            _ = try await ada.send(.delete, "/v1/blocks/\(bob.id)")
            #expect(try await bob.send(.put, "\(other.path)/pin").status == .ok)
        }
    }

    @Test func `to who is blocked there is nobody to start a conversation with`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await bob.startGroup(with: [eve, try await server.register()]).id
            _ = try await put(ada, bob)
            let nobody = WireID()
            // As of somebody who was never there.
            let unknown = try await bob.send(.put, "/v1/conversations/direct/\(nobody)").problem()
            let blocked = try await bob.send(.put, "/v1/conversations/direct/\(ada.id)").problem()
            #expect(blocked.code == unknown.code && blocked.detail == unknown.detail)
            try await ada.send(.put, "/v1/conversations/direct/\(bob.id)").expect(.forbidden)
            let body: JSONValue = .object([
                "groupName": .string("Us"),
                "participantIds": .array([.string("\(eve.id)"), .string("\(ada.id)")]),
            ])
            try await bob.send(.put, "/v1/conversations/\(WireID())", body: body)
                .expect(.validationFailed, pointer: "/participantIds/1")
            try await bob.send(.put, "/v1/conversations/\(group)/participants/\(ada.id)").expect(.notFound)
            try await bob.send(.put, "/v1/conversations/\(group)/participants/\(nobody)").expect(.notFound)
            // Groups with others are untouched, and so is who blocks.
            #expect(try await eve.send(.put, "/v1/conversations/direct/\(ada.id)").status == .created)
            _ = try await ada.startGroup(with: [bob, eve])
        }
    }

    @Test func `a group that both are in goes on`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let group = try await eve.startGroup(with: [ada, bob]).id
            _ = try await put(ada, bob)
            for person in [ada, bob] { #expect(try await send(person, to: group).status == .created) }
            // Who is a member may be made something else by who is blocked.
            let role: JSONValue = .object(["role": .string("admin")])
            _ = try await eve.send(.put, "/v1/conversations/\(group)/participants/\(bob.id)", body: role)
            let answer = try await bob.send(.put, "/v1/conversations/\(group)/participants/\(ada.id)", body: role)
            #expect(answer.status == .ok)
        }
    }

    @Test func `a replay of a start is answered like the first time`() async throws {
        try await TestServer.with { server in
            let (ada, bob, eve) = (
                try await server.register(), try await server.register(), try await server.register()
            )
            let id = try await bob.startGroup(with: [ada, eve]).id
            _ = try await put(ada, bob)
            #expect(try await bob.startGroup(id, with: [ada, eve]).id == id)
        }
    }

    @Test func `what makes no sense is refused`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            try await put(ada, ada).expect(.validationFailed, parameter: "userId")
            for path in ["/v1/blocks/\(WireID())", "/v1/blocks/none"] {
                try await ada.send(.put, path).expect(.notFound)
                try await ada.send(.delete, path).expect(.notFound)
            }
            try await ada.send(.get, "/v1/blocks?cursor=AAAA").expect(.validationFailed, parameter: "cursor")
            try await ada.send(.get, "/v1/blocks?limit=0").expect(.validationFailed, parameter: "limit")
        }
    }

    @Test func `blocks go with who has blocked`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            _ = try await put(ada, bob)
            try await server.dependencies.eraser.carryOut(ada.id.uuid)
            let left = try await TestDatabase.current.pool.query("SELECT count(*)::int AS n FROM read_live.blocks")
            #expect(try left.map { try $0.decode("n", as: Int.self) } == [0])
        }
    }

    // MARK: The stream

    private func block(
        _ person: LivePerson,
        _ other: LivePerson,
        _ isBlocked: Bool = true,
        on server: LiveServer
    ) async throws {
        let block = Messaging.Block(person: person.id, blocked: other.id, isBlocked: isBlocked)
        let pair = DerivedID.directConversation(person.id, other.id)
        try await server.command(.block(block), on: pair, by: person.id)
    }

    @Test func `the other devices are told, live and later, and who is blocked is not`() async throws {
        try await LiveServer.with {
            $0.partitions = 1
        } _: { server in
            let people = try await server.people(3)
            let (ada, bob) = (people[0], people[1])
            let group = try await server.startGroup(people)
            try await server.waitForReadModels()
            let (own, others) = (try await server.readyStream(of: ada), try await server.readyStream(of: bob))
            let since = own.lastID
            try await block(ada, bob, on: server)
            guard case .blockUpdated(let blocked) = try await own.next(.blockUpdated) else { return }
            #expect(blocked.userId == WireID(bob.id) && blocked.blockedAt != nil)
            try await block(ada, bob, false, on: server)
            guard case .blockUpdated(let free) = try await own.next(.blockUpdated) else { return }
            #expect(free.userId == WireID(bob.id) && free.blockedAt == nil)
            try await block(ada, people[2], on: server)
            try await server.say("Hello", ada, in: group)
            #expect(await others.nextInOrder()?.name == "message.created")
            try await own.skip(to: .messageCreated)
            // Who was away hears the same, in the same order and under the same ids.
            let ordered = ["block.updated", "message.created"]
            let live = own.parsed.events.filter { ordered.contains($0.name) }
            let resumed = try await server.stream(of: ada, since: since)
            try await resumed.skip(to: .messageCreated)
            let received = resumed.parsed.events.filter { ordered.contains($0.name) }
            #expect(received.map(\.lastID) == live.map(\.lastID))
            #expect(try received.map { try StreamEvent($0) } == live.map { try StreamEvent($0) })
            #expect(received.map(\.name) == Array(repeating: "block.updated", count: 3) + ["message.created"])
        }
    }

    @Test func `what was taken back before the two have talked is told`() async throws {
        try await LiveServer.with {
            $0.partitions = 1
        } _: { server in
            let people = try await server.people(2)
            let (ada, bob) = (people[0], people[1])
            try await block(ada, bob, on: server)
            try await server.waitForReadModels()
            let own = try await server.readyStream(of: ada)
            let since = own.lastID
            own.cut()
            try await block(ada, bob, false, on: server)
            let start = StartDirect(starter: bob.id, other: ada.id)
            let pair = DerivedID.directConversation(ada.id, bob.id)
            try await server.command(.startDirect(start), on: pair, by: bob.id)
            try await server.waitForReadModels()
            let resumed = try await server.stream(of: ada, since: since)
            guard case .blockUpdated(let free) = try await resumed.next(.blockUpdated) else { return }
            #expect(free.blockedAt == nil)
            try await resumed.skip(to: .conversationCreated)
        }
    }

    @Test func `of many sends, none is accepted after a block was answered`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(2)
            let (ada, bob) = (people[0], people[1])
            let pair = DerivedID.directConversation(ada.id, bob.id)
            try await server.command(.startDirect(StartDirect(starter: ada.id, other: bob.id)), on: pair, by: ada.id)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { _ = try? await server.say("Text \(number)", bob, in: pair) }
                }
                group.addTask { try await block(ada, bob, on: server) }
                try await group.waitForAll()
            }
            try await server.waitForReadModels()
            let events = try await server.eventStore.log.events(of: .init(.conversation, pair), after: 0, limit: 100)
            guard case .blockChanged = events.last?.conversationEvent else {
                Issue.record("something came after the block")
                return
            }
        }
    }
}
