import EventSourcing
import Foundation
import Messaging
import Testing

/// What the history of a group tells by itself.
struct SystemMessageTests {
    private let ada = UUID(), bob = UUID(), room = UUID()

    private func systemMessage(
        _ event: ConversationEvent,
        by actor: UUID?,
        version: Int64 = 5,
        ordinal: Int = 0,
        command: UUID = UUID()
    ) -> SystemMessage? {
        let record = RecordedEvent(
            partition: 0,
            position: 7,
            stream: StreamID(.conversation, room),
            version: version,
            commandID: command,
            ordinal: ordinal,
            actor: actor,
            correlationID: nil,
            causationID: nil,
            recordedAt: Date(timeIntervalSince1970: 0),
            body: .event(event),
            size: 0
        )
        return SystemMessage(event, record)
    }

    @Test func `who comes and goes by oneself is told apart from who is brought and sent away`() {
        let added = ConversationEvent.participantAdded(ParticipantAdded(person: bob, role: .member, headSeq: 3))
        let removed = ConversationEvent.participantRemoved(ParticipantRemoved(person: bob, headSeq: 3))
        #expect(systemMessage(added, by: ada)?.kind == .participantAdded)
        #expect(systemMessage(added, by: bob)?.kind == .participantJoined)
        #expect(systemMessage(removed, by: ada)?.kind == .participantRemoved)
        #expect(systemMessage(removed, by: bob)?.kind == .participantLeft)
        // Nobody acts for who is erased.
        #expect(systemMessage(removed, by: nil)?.kind == .participantLeft)
        #expect(systemMessage(removed, by: nil)?.actor == bob)
        #expect(systemMessage(removed, by: ada)?.people == [bob])
    }

    @Test func `who comes as more than a simple member is told with the role`() {
        let roles = [Role.member, .admin, .owner].map { role in
            let added = ParticipantAdded(person: bob, role: role, headSeq: 3)
            return systemMessage(.participantAdded(added), by: ada)?.role
        }
        #expect(roles == [nil, .admin, .owner])
    }

    @Test func `a group is made, a direct conversation is not told of`() {
        let members = [ada, bob].map { ConversationStarted.Member(id: $0, role: .member) }
        let group = systemMessage(
            .started(ConversationStarted(kind: .group, members: members, name: "Friends")),
            by: ada
        )
        #expect(group?.kind == .groupCreated && group?.people == [bob])
        #expect(group?.settings.name == .set("Friends") && group?.settings.icon == .cleared)
        #expect(systemMessage(.started(ConversationStarted(kind: .direct, members: members)), by: ada) == nil)
    }

    @Test func `what a group starts with is no change of it`() {
        let changed = ConversationEvent.permissionsChanged(PermissionsChanged(pin: .everyone))
        #expect(systemMessage(changed, by: ada, version: 2, ordinal: 1) == nil)
        #expect(systemMessage(changed, by: ada, version: 2, ordinal: 0)?.settings.permissions.pin == .everyone)
        #expect(systemMessage(changed, by: ada, version: 3, ordinal: 1)?.kind == .groupUpdated)
    }

    @Test func `the id follows from the event`() {
        let changed = ConversationEvent.groupChanged(GroupChanged(name: .set("Friends")))
        let command = UUID()
        let id = systemMessage(changed, by: ada, command: command)?.id
        #expect(id == systemMessage(changed, by: ada, version: 9, command: command)?.id)
        #expect(id != systemMessage(changed, by: ada, ordinal: 1, command: command)?.id)
        #expect(id != systemMessage(changed, by: ada)?.id)
        // Of version 8, which no client makes.
        #expect(id.map { $0.uuid.6 >> 4 } == 8)
    }

    @Test func `pins are told of in groups`() {
        let message = UUID()
        let pinned = ConversationEvent.messagePinned(PinChanged(messageID: message, seq: 1, in: .group))
        #expect(
            systemMessage(pinned, by: ada)?.kind == .messagePinned && systemMessage(pinned, by: ada)?.message == message
        )
        let direct = PinChanged(messageID: message, seq: 1, in: .direct)
        #expect(
            systemMessage(.messagePinned(direct), by: ada) == nil
                && systemMessage(.messageUnpinned(direct), by: ada) == nil
        )
    }

    @Test func `how long messages stay is told of, to two people too`() {
        let changed = systemMessage(.retentionChanged(RetentionChanged(seconds: 3_600)), by: ada)
        #expect(changed?.kind == .retentionChanged && changed?.settings.retention == .set(3_600))
        #expect(
            systemMessage(.retentionChanged(RetentionChanged(seconds: nil)), by: ada)?.settings.retention == .cleared
        )
    }

    @Test func `messages and what becomes of them are told by themselves`() {
        #expect(systemMessage(.messageDeleted(MessageDeleted(messageID: UUID(), seq: 1, sender: ada)), by: ada) == nil)
        #expect(systemMessage(.memberErased(MemberErased(person: ada, headSeq: 1)), by: ada) == nil)
        #expect(systemMessage(.invitesEnded(InvitesEnded(invites: [])), by: ada) == nil)
    }
}
