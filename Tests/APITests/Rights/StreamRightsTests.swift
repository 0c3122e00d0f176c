import EventStore
import Foundation
import Messaging
import ParleyWire
import TestSupport
import Testing

@testable import API

/// Who gets which event on a stream: everyone has a stream open, something happens, and what each got until a later
/// message to all is compared with the table.
@Suite(.database, .timeLimit(.minutes(10))) struct StreamRightsTests {
    /// Everyone in the room, and those outside of it.
    enum Watcher: String, CaseIterable {
        case owner, admin, member, formerMember, stranger
    }

    @Test func `a message reaches the members`() async throws {
        try await expect("message.created", for: [.owner, .admin, .member]) { scene in
            try await scene.server.say("Hi", scene.owner, in: scene.group)
        }
    }

    @Test func `a receipt reaches the author and the reader`() async throws {
        try await expect("receipt.updated", for: [.owner, .member]) { scene in
            try await scene.server.read(scene.group, upTo: 1, by: scene[.member])
        }
    }

    @Test func `what becomes of a message reaches the members`() async throws {
        for (change, name) in [
            (MessageStep.edit("Other"), "message.updated"), (.react("\u{1F44D}"), "reaction.updated"),
            (.pin, "message.updated"), (.delete, "message.deleted"),
        ] {
            try await expect(name, for: [.owner, .admin, .member]) { scene in
                try await scene.server.change(scene.message, by: change, scene.owner, in: scene.group)
            }
        }
    }

    @Test func `what becomes of a message does not reach those who may not see it`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let room = try await server.startGroup(Array(people.prefix(3)), visibility: .joined)
            let message = try await server.ask("Old", people[0], in: room)
            try await server.add(people[3], to: room, by: people[0])
            let late = try await server.readyStream(of: people[3])
            let early = try await server.readyStream(of: people[1])
            try await server.change(message, by: .edit("Older"), people[0], in: room)
            try await server.change(message, by: .react("\u{1F44D}"), people[1], in: room)
            try await server.change(message, by: .pin, people[0], in: room)
            await #expect(throws: ConversationRejection.messageNotFound) {
                try await server.change(message, by: .react("\u{1F44D}"), people[3], in: room)
            }
            try await server.change(message, by: .delete, people[0], in: room)
            try await server.say("New", people[0], in: room)
            for name in [
                StreamEventName.messageUpdated, .reactionUpdated, .messageUpdated, .messageDeleted, .messageCreated,
            ] {
                #expect(await early.nextInOrder()?.name == name.rawValue)
            }
            #expect(await late.nextInOrder()?.name == "message.created")
        }
    }

    @Test func `a change of the group reaches the members`() async throws {
        try await expect("conversation.updated", for: [.owner, .admin, .member]) { scene in
            let change = ChangeGroup(
                actor: scene.owner.id,
                name: "Other",
                icon: .unchanged,
                joinPolicy: nil,
                historyVisibility: nil
            )
            try await scene.server.command(.changeGroup(change), on: scene.group, by: scene.owner.id)
        }
    }

    @Test func `how long messages stay reaches the members, and that one is gone`() async throws {
        let change: @Sendable (Scene) -> ChangeGroup = { scene in
            ChangeGroup(
                actor: scene.owner.id,
                name: nil,
                icon: .unchanged,
                joinPolicy: nil,
                historyVisibility: nil,
                retention: .set(3_600)
            )
        }
        try await expect("conversation.updated", for: [.owner, .admin, .member]) { scene in
            try await scene.server.command(.changeGroup(change(scene)), on: scene.group, by: scene.owner.id)
        }
        try await expect(
            [
                "conversation.updated": [.owner, .admin, .member], "message.created": [.owner, .admin, .member],
                "message.deleted": [.owner, .admin, .member],
            ]
        ) { scene in
            try await scene.server.command(.changeGroup(change(scene)), on: scene.group, by: scene.owner.id)
            let message = try await scene.server.ask("Soon gone", scene.owner, in: scene.group)
            let later = Date().addingTimeInterval(3_600)
            _ = try await scene.server.dependencies.expirer.expire([message], of: scene.group, at: later)
        }
    }

    @Test func `who is added gets the conversation, and the others the participant`() async throws {
        try await expect(
            ["conversation.created": [.stranger], "participant.added": [.owner, .admin, .member]]
        ) { scene in
            try await scene.server.add(scene[.stranger], to: scene.group, by: scene.owner)
        }
    }

    @Test func `who is removed loses the conversation, and the others the participant`() async throws {
        try await expect(
            ["conversation.removed": [.member], "participant.removed": [.owner, .admin]]
        ) { scene in
            try await scene.server.remove(scene[.member], from: scene.group, by: scene.owner)
        }
    }

    @Test func `a new role reaches its holder as the conversation, and the others as the participant`() async throws {
        try await expect(
            ["conversation.updated": [.member], "participant.updated": [.owner, .admin]]
        ) { scene in
            let put = PutParticipant(actor: scene.owner.id, person: scene[.member].id, role: .admin, maxMembers: 100)
            try await scene.server.command(.putParticipant(put), on: scene.group, by: scene.owner.id)
        }
    }

    @Test func `a new name reaches those who share a conversation`() async throws {
        try await expect("user.updated", for: [.owner, .admin, .member]) { scene in
            try await scene.server.rename(scene.loner, to: "Renamed")
        }
    }

    @Test func `a changed view reaches its owner's own devices`() async throws {
        try await expect("member.updated", for: [.member]) { scene in
            try await scene.server.view(scene.group, of: scene[.member], clears: true)
        }
    }

    @Test func `marking unread reaches the own devices`() async throws {
        try await expect("member.updated", for: [.owner]) { scene in
            try await scene.server.markUnread(scene.group, from: 1, by: scene.owner)
        }
    }

    @Test func `a message that was deleted for oneself reaches the own devices`() async throws {
        try await expect("message.deleted", for: [.member]) { scene in
            try await scene.server.hide(scene.message, in: scene.group, by: scene[.member])
        }
    }

    @Test func `a block reaches the own devices`() async throws {
        try await expect("block.updated", for: [.member]) { scene in
            let person = scene[.member].id
            let log = scene.server.eventStore.identity
            // In the partition of the message that ends the scene.
            var other = UUID()
            while log.partition(of: DerivedID.directConversation(person, other)) != log.partition(of: scene.square) {
                other = UUID()
            }
            let pair = DerivedID.directConversation(person, other)
            let block = Messaging.Block(person: person, blocked: other, isBlocked: true)
            try await scene.server.command(.block(block), on: pair, by: person)
        }
    }

    @Test func `nobody gets what happens in a conversation of others`() async throws {
        try await expect([:]) { scene in
            let others = try await scene.server.people(3)
            let elsewhere = try await scene.server.startGroup(others, besides: scene.group)
            try await scene.server.say("Hi", others[0], in: elsewhere)
            try await scene.server.read(elsewhere, upTo: 1, by: others[1])
            try await scene.server.remove(others[2], from: elsewhere, by: others[0])
        }
    }

    @Test func `nobody without a live session opens a stream`() async throws {
        try await LiveServer.with { server in
            let gone = try await server.person("Gone")
            try await server.deactivate(gone)
            let nobody = LivePerson(id: gone.id, name: "", session: UUID(), token: "e30.e30.e30")
            for person in [gone, nobody] {
                let stream = try await server.stream(of: person)
                #expect(await stream.next() == nil)
                #expect(stream.head.hasPrefix("HTTP/1.1 401 "))
            }
        }
    }

    // MARK: The walk

    private func expect(
        _ name: String,
        for watchers: Set<Watcher>,
        _ act: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        try await expect([name: watchers], act)
    }

    /// - Parameter table: the receivers of each event; nobody gets any other, but for unread counts.
    private func expect(
        _ table: [String: Set<Watcher>],
        _ act: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        try await LiveServer.with { server in
            let scene = try await Scene(server)
            var streams: [Watcher: LiveStream] = [:]
            for watcher in Watcher.allCases { streams[watcher] = try await server.readyStream(of: scene[watcher]) }
            try await act(scene)
            try await server.say("barrier", scene.crier, in: scene.square)
            for (watcher, stream) in streams {
                let got = try await Self.events(until: scene.square, on: stream)
                let expected = Set(table.filter { $0.value.contains(watcher) }.keys)
                #expect(got == expected, "\(watcher)")
            }
        }
    }

    /// The names of the events before the first message in a conversation.
    private static func events(until conversation: UUID, on stream: LiveStream) async throws -> Set<String> {
        var names: Set<String> = []
        while let event = await stream.nextInOrder() {
            if case .messageCreated(let created) = try StreamEvent(event),
                created.conversationId == WireID(conversation)
            {
                return names
            }
            names.insert(event.name)
        }
        Issue.record("the stream ended")
        return names
    }

    /// A group with one message of its owner's, and a square on which a crier is heard by all.
    struct Scene: Sendable {
        let server: LiveServer
        let group: UUID
        /// The owner's.
        let message: UUID
        let square: UUID
        let crier: LivePerson
        /// A member of the group who is not on the square.
        let loner: LivePerson
        private let cast: [Watcher: LivePerson]

        init(_ server: LiveServer) async throws {
            var cast: [Watcher: LivePerson] = [:]
            for watcher in Watcher.allCases { cast[watcher] = try await server.person("the \(watcher.rawValue)") }
            let crier = try await server.person("crier")
            let owner = try #require(cast[.owner])
            let former = try #require(cast[.formerMember])
            loner = try await server.person("loner")
            let members = [Watcher.owner, .admin, .member, .formerMember].compactMap { cast[$0] } + [loner]
            // All in one partition, in which events come in order.
            group = try await server.startGroup(members, besides: loner.id)
            let put = PutParticipant(actor: owner.id, person: members[1].id, role: .admin, maxMembers: 100)
            try await server.command(.putParticipant(put), on: group, by: owner.id)
            message = try await server.ask("Hello", owner, in: group)
            try await server.remove(former, from: group, by: owner)
            square = try await server.startGroup([crier] + Watcher.allCases.compactMap { cast[$0] }, besides: loner.id)
            self.server = server
            self.crier = crier
            self.cast = cast
        }

        subscript(watcher: Watcher) -> LivePerson {
            // Every watcher has been cast above.
            cast[watcher] ?? crier
        }

        var owner: LivePerson { self[.owner] }
    }
}
