import EventSourcing
import Foundation
import Messaging
import ParleyWire
import ReadModels

/// Events that change who is in a conversation, or what it looks like.
extension LiveRenderer {
    func item(for started: ConversationStarted, _ record: RecordedEvent) async throws -> HubItem {
        let people = started.members.map(\.id)
        var item = HubItem(partition: record.partition, position: record.position)
        item.membership = .joined(conversation: record.stream.id, people: people)
        item.audience = .people(Set(people))
        let blocks = try await conversation(record, for: connected(item.audience)) { .conversationCreated($0) }
        for (person, block) in blocks { item.blocks.byPerson[person] = block }
        return item
    }

    func item(for added: ParticipantAdded, _ record: RecordedEvent) async throws -> HubItem {
        let id = record.stream.id
        var item = HubItem(partition: record.partition, position: record.position)
        item.membership = .joined(conversation: id, people: [added.person])
        item.audience = .members(of: id)
        item.blocks.others = try await participant(added.person, record) { .participantAdded($0) }
        let own = try await conversation(record, for: connected(.people([added.person]))) { .conversationCreated($0) }
        item.blocks.byPerson.updateValue(own[added.person], forKey: added.person)
        return item
    }

    func item(for removed: ParticipantRemoved, _ record: RecordedEvent) async throws -> HubItem {
        let id = record.stream.id
        var item = HubItem(partition: record.partition, position: record.position)
        item.membership = .left(conversation: id, person: removed.person)
        item.audience = .members(of: id)
        item.unread = .people([removed.person], of: id)
        item.blocks.others = try await participant(removed.person, record) { .participantRemoved($0) }
        item.blocks.byPerson[removed.person] = try EventBlock(
            .conversationRemoved(StreamEvent.ConversationRemoved(conversationId: WireID(id)))
        )
        return item
    }

    /// The others learn the new role, the person what it means for the own view of the conversation.
    func item(for changed: RoleChanged, _ record: RecordedEvent) async throws -> HubItem {
        var item = HubItem(partition: record.partition, position: record.position)
        item.audience = .members(of: record.stream.id)
        item.blocks.others = try await participant(changed.person, record) { .participantUpdated($0) }
        let own = try await conversation(record, for: connected(.people([changed.person]))) { .conversationUpdated($0) }
        item.blocks.byPerson.updateValue(own[changed.person], forKey: changed.person)
        return item
    }

    func groupChanged(_ record: RecordedEvent) async throws -> HubItem {
        var item = HubItem(partition: record.partition, position: record.position)
        item.audience = .members(of: record.stream.id)
        let blocks = try await conversation(record, for: connected(item.audience)) { .conversationUpdated($0) }
        for (person, block) in blocks { item.blocks.byPerson[person] = block }
        return item
    }

    /// All members learn once more, now in the order of this conversation, that the person is erased, and what the
    /// conversation looks like without the person's words.
    func item(for erased: MemberErased, _ record: RecordedEvent) async throws -> HubItem {
        var item = HubItem(partition: record.partition, position: record.position)
        item.audience = .members(of: record.stream.id)
        item.erased = erased.person
        let blocks = try await conversation(record, for: connected(item.audience)) { .conversationUpdated($0) }
        guard !blocks.isEmpty, let user = try await queries.user(erased.person) else { return item }
        let gone = try EventBlock(.userUpdated(StreamEvent.UserUpdated(user: user)))
        for (person, block) in blocks { item.blocks.byPerson[person] = block.preceded(by: gone) }
        return item
    }

    /// The conversation as each of these people sees it now.
    private func conversation(
        _ record: RecordedEvent,
        for people: Set<UUID>,
        event: (StreamEvent.ConversationChanged) -> StreamEvent
    ) async throws -> [UUID: EventBlock] {
        guard !people.isEmpty else { return [:] }
        try await projected(record.partition, record.position)
        let people = Array(people)
        var blocks: [UUID: EventBlock] = [:]
        for start in stride(from: 0, to: people.count, by: 500) {
            let some = Array(people[start..<min(people.count, start + 500)])
            for (person, conversation) in try await queries.conversation(record.stream.id, forEach: some) {
                blocks[person] = try EventBlock(event(StreamEvent.ConversationChanged(conversation: conversation)))
            }
        }
        return blocks
    }

    /// A member as the others see them now; nil where no others are there.
    private func participant(
        _ person: UUID,
        _ record: RecordedEvent,
        event: (StreamEvent.ParticipantChanged) -> StreamEvent
    ) async throws -> EventBlock? {
        let id = record.stream.id
        guard !connected(.members(of: id)).subtracting([person]).isEmpty else { return nil }
        try await projected(record.partition, record.position)
        guard let participant = try await queries.participants([person], of: id)[person] else { return nil }
        return try EventBlock(
            event(StreamEvent.ParticipantChanged(conversationId: WireID(id), participant: participant))
        )
    }
}
