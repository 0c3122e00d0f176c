import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Identity
import Logging
import Messaging
import Migrations
import NIOCore
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import API

/// A person is erased over HTTP: what is left, for whom, and what streams are told.
@Suite(.database, .timeLimit(.minutes(10))) struct ErasureTests {
    private func erase(_ person: LivePerson, on server: LiveServer) async throws {
        let response = try await server.client.execute(
            uri: "/v1/me",
            method: .delete,
            headers: [.authorization: "Bearer \(person.token)"]
        )
        #expect(response.status == .noContent)
    }

    @Test func `an erased person is gone, and so is all that the person said`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let (ada, grace) = (people[0], people[1])
            let group = try await server.startGroup(people)
            let direct = DerivedID.directConversation(ada.id, grace.id)
            try await server.command(.startDirect(.init(starter: ada.id, other: grace.id)), on: direct, by: ada.id)
            let secret = try await server.ask("a secret", ada, in: group)
            try await server.say("an answer", grace, in: group, replyTo: MessageReference(id: secret, seq: 1))
            try await server.say("a whisper", ada, in: direct)
            let stream = try await server.readyStream(of: grace)
            let own = try await server.readyStream(of: ada)

            try await erase(ada, on: server)

            #expect(await own.rest().last?.name == "goaway")
            #expect(try await server.get("/v1/me", as: ada).status == .unauthorized)
            let history = try await server.get(HistoryPage.self, "/v1/conversations/\(group)/messages", as: grace)
            let said = history.items.filter { $0.kind == .text }
            #expect(said.map(\.text) == [nil, "an answer"])
            #expect(said.last?.replyTo?.text == nil)
            #expect(said.last?.replyTo?.id.uuid == secret)
            #expect(history.users?[WireID(ada.id)] == UserSummary(displayName: nil, erased: true))
            let seen = try await server.get(ParleyWire.Conversation.self, "/v1/conversations/\(group)", as: grace)
            #expect(seen.groupName == nil)
            #expect(seen.participantIds?.count == 2)
            #expect(seen.participants?.contains { $0.role == .owner } == true)
            let kept = try await server.get(ParleyWire.Conversation.self, "/v1/conversations/\(direct)", as: grace)
            #expect(kept.lastMessage?.text == nil)
            #expect(kept.lastMessage?.senderId.uuid == ada.id)
            #expect(kept.participantIds?.count == 2)
            #expect(kept.unreadCount == 1)
            let user = try await server.get(ParleyWire.User.self, "/v1/users/\(ada.id)", as: grace)
            #expect(user.displayName == nil && user.erased == true)
            let directory = try await server.get(ListPage<ParleyWire.User>.self, "/v1/users", as: grace)
            #expect(directory.items.map(\.id.uuid) == [people[2].id])

            for conversation in [group, direct] {
                let events = try await server.eventStore.log.events(
                    of: StreamID(.conversation, conversation),
                    after: 0,
                    limit: 100
                )
                let erased = events.filter { $0.commandID == DerivedID.erasure(of: ada.id) }
                #expect(!erased.isEmpty && erased.allSatisfy { $0.causationID == DerivedID.erasure(of: ada.id) })
            }
            try await refuseContact(with: ada, by: grace, in: group, direct, on: server)
            try await expectErased(stream, of: ada)
            try await expectRebuilt(server)
        }
    }

    private func refuseContact(
        with erased: LivePerson,
        by person: LivePerson,
        in group: UUID,
        _ direct: UUID,
        on server: LiveServer
    ) async throws {
        func put(_ path: String, _ body: String = "{}") async throws -> HTTPResponse.Status {
            try await server.client.execute(
                uri: path,
                method: .put,
                headers: [.authorization: "Bearer \(person.token)", .contentType: "application/json"],
                body: ByteBuffer(string: body)
            ).status
        }
        #expect(try await put("/v1/conversations/direct/\(erased.id)") == .notFound)
        #expect(try await put("/v1/conversations/\(group)/participants/\(erased.id)") == .notFound)
        let other = try await server.person("Somebody")
        let ids = #""participantIds":["\#(erased.id)","\#(other.id)"]"#
        #expect(try await put("/v1/conversations/\(UUID())", #"{"groupName":"New",\#(ids)}"#) == .unprocessableContent)
        #expect(try await put("/v1/conversations/\(direct)/messages/\(UUID())", #"{"text":"hello?"}"#) == .forbidden)
        await #expect(throws: CommandError.unknownActor) { try await server.say("a ghost", erased, in: group) }
        await #expect(throws: CommandError.unknownActor) {
            try await server.eventStore.keyring.ensureKey(for: erased.id)
            try await server.rename(erased, to: "A ghost")
        }
    }

    /// A client learns to drop the person's texts, in every conversation.
    private func expectErased(_ stream: LiveStream, of person: LivePerson) async throws {
        // Once of the person, and once in each of the two conversations, right before they are shown anew.
        var ids: [String] = []
        while ids.count < 3, let event = await stream.next() {
            guard case .userUpdated(let updated) = try StreamEvent(event) else { continue }
            #expect(updated.user.id.uuid == person.id)
            #expect(updated.user.erased == true && updated.user.displayName == nil)
            ids.append(event.lastID)
            guard ids.count > 1, let next = await stream.nextInOrder() else { continue }
            guard case .conversationUpdated(let changed) = try StreamEvent(next) else {
                Issue.record("the conversation should follow")
                continue
            }
            #expect(changed.conversation.groupName == nil)
            #expect(changed.conversation.lastMessage?.text != "a whisper")
            // Who is cut between the two gets both again.
            #expect(next.lastID != event.lastID)
        }
        #expect(ids.count == 3)
    }

    /// The read models stand for the log as it is without the key.
    private func expectRebuilt(_ server: LiveServer) async throws {
        let database = TestDatabase.current
        let keys = try await database.pool.query("SELECT count(*) AS n FROM parley.person_keys")
        #expect(try keys.first?.decode("n", as: Int.self) == 3)
        let rebuild = Rebuild(
            log: server.eventStore.log,
            database: PostgresConfiguration(url: database.url, role: "parley_owner"),
            migrations: Migrations.readModels,
            logger: LiveServer.logger
        )
        let comparison = try #require(try await rebuild.run(verifying: true).comparison)
        #expect(comparison.allSatisfy { $0.isEqual }, "\(comparison)")
        let partitions = server.eventStore.identity.partitions
        #expect(try await Verification(pool: database.pool, partitions: partitions).run().findings.isEmpty)
    }

    @Test func `the email of an erased person may register anew, as somebody else`() async throws {
        try await LiveServer.with { server in
            let registration = Registration(email: "ada@example.org", password: Secret("correct horse"))
            let first = try await server.identity.register(registration)
            let person = LivePerson(
                id: first.userID,
                name: "Ada",
                session: first.session.id,
                token: first.accessToken.exposed
            )
            try await erase(person, on: server)
            await #expect(throws: IdentityError.invalidCredentials) {
                try await server.identity.login(Login(email: "ada@example.org", password: Secret("correct horse")))
            }
            await #expect(throws: IdentityError.unauthenticated) {
                try await server.identity.refresh(first.refreshToken.exposed)
            }
            let second = try await server.identity.register(registration)
            #expect(second.userID != first.userID)
            try await server.identity.logout(try await server.identity.authenticate(bearer: second.accessToken.exposed))
        }
    }

    @Test(arguments: 1...3)
    func `a snapshot and the events since equal a fresh snapshot, also when somebody is erased`(
        seed: UInt64
    ) async throws {
        try await LiveServer.with { server in
            let people = try await server.people(5)
            let rooms = [try await server.startGroup(people), try await server.startGroup(people.reversed())]
            let direct = DerivedID.directConversation(people[0].id, people[4].id)
            let start = StartDirect(starter: people[0].id, other: people[4].id)
            try await server.command(.startDirect(start), on: direct, by: people[0].id)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (place, person) in people.dropLast().enumerated() {
                    tasks.addTask {
                        let random = SeededRandom(seed: seed &* 31 &+ UInt64(place))
                        try await server.checkSnapshotProperty(of: person, random)
                    }
                }
                tasks.addTask {
                    try await server.live(people, in: rooms + [direct], SeededRandom(seed: seed))
                    async let erasure: Void = erase(people[4], on: server)
                    try await server.live(people, in: rooms + [direct], SeededRandom(seed: seed + 100))
                    try await erasure
                    await server.quiet.end()
                }
                try await tasks.waitForAll()
            }
        }
    }

    @Test func `pages of any size tell of an erasure what the whole tells`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            let direct = DerivedID.directConversation(people[0].id, people[1].id)
            let begin = StartDirect(starter: people[0].id, other: people[1].id)
            let asked = try await server.ask("a secret", people[0], in: group)
            try await server.command(.startDirect(begin), on: direct, by: people[0].id)
            try await server.say("a whisper", people[0], in: direct)
            try await server.say("an answer", people[1], in: group, replyTo: MessageReference(id: asked, seq: 1))
            _ = try await server.readyStream(of: people[1])
            let start = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[1])
            try await erase(people[0], on: server)
            try await server.say("afterwards", people[2], in: group)
            for limit in [1, 2, 3, 500] {
                var reducer = ReferenceReducer(start)
                var cursor = start.cursor
                var hasMore = true
                while hasMore {
                    let path = "/v1/sync?since=\(cursor)&limit=\(limit)"
                    let delta = try await server.get(SyncDelta.self, path, as: people[1])
                    for event in delta.events { reducer.apply(event.event) }
                    try #require(!delta.hasMore || delta.cursor != cursor, "it goes on")
                    (cursor, hasMore) = (delta.cursor, delta.hasMore)
                }
                let fresh = try await server.get(SyncSnapshot.self, "/v1/sync", as: people[1])
                #expect(reducer.differences(from: fresh) == [], "in pages of \(limit)")
                #expect(reducer.rooms.count == 2)
            }
        }
    }

    @Test func `an erasure that was cut short is finished by whoever comes next`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            try await server.say("a secret", people[0], in: group)
            let eraser = Eraser(
                identity: server.identity,
                eventStore: server.eventStore,
                checkpoints: server.checkpoints,
                attachments: server.dependencies.attachments
            )
            #expect(try await eraser.begin(people[0].id))
            // Here the first process dies. Another one finds the work when the claim has run out.
            #expect(try await eraser.erasures.claim() == nil)
            let lease = try #require(try await eraser.erasures.timeUntilDue())
            #expect(lease > .zero)
            try await eraser.erasures.postpone(people[0].id, by: .zero)
            let rest = try #require(try await eraser.erasures.timeUntilDue())
            #expect(rest <= .zero)
            let pending = try #require(try await eraser.erasures.claim())
            #expect(pending.person == people[0].id)
            #expect(!pending.isErased)
            #expect(try await eraser.carryOut(pending.person).conversations == 1)
            #expect(try await eraser.carryOut(pending.person).conversations == 0)
            try await eraser.recheck(pending.person)
            try await eraser.erasures.postpone(people[0].id, by: .zero)
            #expect(try await eraser.erasures.claim() == nil)
            #expect(try await eraser.erasures.timeUntilDue() == nil)
            let page = try await server.get(HistoryPage.self, "/v1/conversations/\(group)/messages", as: people[1])
            #expect(page.items.filter { $0.kind == .text }.map(\.text) == [nil])
        }
    }
}
