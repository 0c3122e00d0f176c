import EventStore
import Foundation
import ParleyWire
import TestSupport
import Testing

@testable import API

/// What clients are shown of one thing, in pages and by events, is put in order by its revision alone.
@Suite(.database, .timeLimit(.minutes(10))) struct RevisionTests {
    @Test(arguments: 1...3)
    func `pages and events in whatever order end with what is so`(seed: UInt64) async throws {
        try await LiveServer.with { server in
            let people = try await server.people(4)
            let rooms = [try await server.startGroup(people), try await server.startGroup(Array(people.prefix(3)))]
            try await server.waitForReadModels()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for person in people {
                    tasks.addTask {
                        let sightings = Sightings()
                        async let events: Void = server.follow(person, into: sightings)
                        async let pages: Void = server.read(as: person, into: sightings)
                        _ = try await (events, pages)
                        let fresh = Sightings()
                        try await server.readOnce(as: person, into: fresh)
                        await sightings.expectAnyOrder(endsWith: fresh, SeededRandom(seed: seed))
                    }
                }
                tasks.addTask {
                    try await server.live(people, in: rooms, SeededRandom(seed: seed))
                    try await server.waitForReadModels()
                    await server.quiet.end()
                }
                try await tasks.waitForAll()
            }
        }
    }
}

/// What one client was shown, in the order in which it came.
private actor Sightings {
    enum Key: Hashable {
        case conversation(WireID)
        case participant(WireID, in: WireID)
        case message(WireID)
        case reactions(to: WireID)
    }

    enum Content: Hashable {
        case conversation(Conversation)
        case participant(Participant)
        case message(Message)
        case reactions([Reaction])
    }

    private var seen: [Key: [(revision: Int64, content: Content)]] = [:]

    func add(_ conversation: Conversation) {
        for participant in conversation.participants ?? [] { add(participant, in: conversation.id) }
        seen[.conversation(conversation.id), default: []]
            .append((conversation.revision, .conversation(conversation.itself)))
    }

    func add(_ participant: Participant, in conversation: WireID) {
        seen[.participant(participant.userId, in: conversation), default: []]
            .append((participant.revision, .participant(participant.itself)))
    }

    func add(_ message: Message) {
        seen[.message(message.id), default: []].append((message.revision, .message(message.itself)))
        add(message.reactions, to: message.id, message.revision)
    }

    private func add(_ reactions: [Reaction], to message: WireID, _ revision: Int64) {
        seen[.reactions(to: message), default: []].append((revision, .reactions(reactions)))
    }

    func add(_ event: StreamEvent) {
        switch event {
        case .conversationCreated(let changed), .conversationUpdated(let changed): add(changed.conversation)
        case .participantAdded(let changed), .participantUpdated(let changed):
            add(changed.participant, in: changed.conversationId)
        case .messageCreated(let created): add(created.message)
        case .messageUpdated(let changed), .messageDeleted(let changed): add(changed.message)
        case .reactionUpdated(let updated): add(updated.reactions, to: updated.messageId, updated.revision)
        default: break
        }
    }

    /// Whatever is shown at the end has the highest revision of all that was shown, and equal revisions equal contents.
    func expectAnyOrder(endsWith fresh: Sightings, _ random: SeededRandom) async {
        var random = random
        for (key, last) in await fresh.seen {
            for _ in 0..<3 {
                let all = (seen[key, default: []] + last).shuffled(using: &random)
                let kept = all.reduce(all[0]) { kept, next in next.revision > kept.revision ? next : kept }
                #expect(kept.content == last[0].content)
            }
        }
    }
}

extension Conversation {
    /// Without the caller's view and counts, which have numbers of their own, and without people and messages.
    fileprivate var itself: Conversation {
        var conversation = self
        conversation.participants = nil
        conversation.participantIds = nil
        conversation.participantCount = 0
        conversation.lastMessage = nil
        conversation.headSeq = 0
        conversation.unreadCount = 0
        conversation.mentionCount = 0
        conversation.firstUnreadSeq = nil
        conversation.me = MemberSettings(role: me.role, deliveredSeq: 0, readSeq: 0)
        conversation.updatedAt = createdAt
        conversation.users = nil
        return conversation
    }
}

extension Participant {
    /// Without what `user.updated` tells.
    fileprivate var itself: Participant {
        var participant = self
        participant.displayName = nil
        participant.photoURL = nil
        return participant
    }
}

extension Message {
    /// Without receipts, and without what another message says.
    fileprivate var itself: Message {
        var message = self
        message.status = nil
        message.recipientCount = nil
        message.deliveredCount = nil
        message.readCount = nil
        message.deliveredTo = nil
        message.readBy = nil
        message.replyTo?.text = nil
        return message
    }
}

extension LiveServer {
    fileprivate func follow(_ person: LivePerson, into sightings: Sightings) async throws {
        let stream = try await stream(of: person)
        await quiet.watch(stream)
        while let event = await stream.nextOfAll() { await sightings.add(try StreamEvent(event)) }
    }

    fileprivate func read(as person: LivePerson, into sightings: Sightings) async throws {
        while await !quiet.isOver { try await readOnce(as: person, into: sightings) }
    }

    fileprivate func readOnce(as person: LivePerson, into sightings: Sightings) async throws {
        let snapshot = try await get(SyncSnapshot.self, "/v1/sync?timelineLimit=50", as: person)
        for entry in snapshot.conversations {
            await sightings.add(entry.conversation)
            for message in entry.timeline.items { await sightings.add(message) }
        }
    }
}
