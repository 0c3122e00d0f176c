import Foundation
import ParleyWire

@testable import parley_load

extension Samples {
    static let names = [ann: "Ann", bob: "Bob", cyd: "Cyd", dan: "Dan"]
    static let creation = time(-100)

    static func user(_ person: WireID, name: String? = nil) -> User {
        User(
            id: person,
            displayName: name ?? names[person],
            presence: Presence(status: .offline),
            createdAt: creation
        )
    }

    static func participant(_ person: WireID, joinedAt: Date = creation, role: ParticipantRole = .member) -> Participant
    {
        Participant(userId: person, displayName: names[person], role: role, joinedAt: joinedAt, revision: 1)
    }

    /// A conversation as the journal implies a member sees it.
    static func view(
        _ expected: ExpectedConversation,
        for person: WireID,
        joinedAt: [WireID: Date] = [:],
        updatedAt: Date? = nil
    ) -> Conversation {
        let participants = expected.members.map { member in
            participant(
                member,
                joinedAt: joinedAt[member] ?? creation,
                role: member == expected.owner ? .owner : .member
            )
        }
        .sorted { ($0.joinedAt, $0.userId) < ($1.joinedAt, $1.userId) }
        let span = expected.current(person) ?? MembershipSpan(fromSeq: 0)
        let last = expected.messages.last
        return Conversation(
            id: expected.id,
            type: .group,
            groupName: expected.groupName,
            joinPolicy: .open,
            historyVisibility: .all,
            participantIds: participants.map(\.userId),
            participantCount: participants.count,
            participants: participants,
            lastMessage: last.map {
                LastMessage(id: $0.id, seq: $0.seq, senderId: $0.sender, text: $0.text, timestamp: $0.timestamp)
            },
            headSeq: expected.headSeq,
            unreadCount: expected.unreadCount(of: person),
            mentionCount: expected.mentionCount(of: person),
            firstUnreadSeq: expected.firstUnreadSeq(of: person),
            me: MemberSettings(
                role: person == expected.owner ? .owner : .member,
                deliveredSeq: span.deliveredSeq,
                readSeq: span.readSeq,
                mutedUntil: expected.mutedUntil[person]
            ),
            createdBy: expected.owner,
            createdAt: creation,
            updatedAt: updatedAt ?? last?.timestamp ?? creation,
            revision: 1
        )
    }

    static func snapshot(
        _ expected: ExpectedConversation?,
        for person: WireID,
        joinedAt: [WireID: Date] = [:],
        updatedAt: Date? = nil
    ) -> SyncSnapshot {
        let entries = expected.map { expected in
            [
                SyncSnapshot.Entry(
                    conversation: view(expected, for: person, joinedAt: joinedAt, updatedAt: updatedAt),
                    timeline: page(expected, for: person)
                )
            ]
        }
        let me = user(person)
        return SyncSnapshot(
            me: Me(
                id: me.id,
                displayName: me.displayName,
                presence: me.presence,
                createdAt: me.createdAt,
                email: "a@b.example",
                settings: UserSettings(),
                needsOnboarding: false
            ),
            totalUnread: expected?.unreadCount(of: person) ?? 0,
            conversations: entries ?? [],
            nextCursor: nil,
            users: [:],
            cursor: "c"
        )
    }

    static func page(_ expected: ExpectedConversation, for person: WireID) -> HistoryPage {
        HistoryPage(
            items: expected.messages.suffix(20).map { shown($0, to: person, in: expected) },
            page: PageInfo(olderCursor: nil, newerCursor: nil, hasOlder: false, hasNewer: false)
        )
    }
}
