import Foundation
import ParleyWire

/// Says where a conversation, as a member sees it, differs from what the journal implies.
struct ConversationComparison {
    let expected: ExpectedConversation
    let person: WireID

    func differences(of conversation: Conversation) -> [String] {
        var differences: [String] = []
        func check(_ name: String, _ is: some CustomStringConvertible, _ must: some CustomStringConvertible) {
            if `is`.description != must.description {
                differences.append("\(name) is \(`is`), implied \(must)")
            }
        }
        check("headSeq", conversation.headSeq, expected.headSeq)
        check("groupName", conversation.groupName.text, expected.groupName)
        check("participantCount", conversation.participantCount, expected.members.count)
        check("lastMessage", (conversation.lastMessage?.id).text, (expected.messages.last?.id).text)
        if let last = conversation.lastMessage, last.text != expected.messages.last?.text {
            differences.append("lastMessage has other words")
        }
        return differences + markDifferences(of: conversation)
    }

    func markDifferences(of conversation: Conversation) -> [String] {
        guard let span = expected.current(person) else { return ["is there, though the person has left"] }
        var differences: [String] = []
        let pairs: [(String, Int64?, Int64?)] = [
            ("deliveredSeq", conversation.me.deliveredSeq, span.deliveredSeq),
            ("readSeq", conversation.me.readSeq, span.readSeq),
            ("unreadCount", Int64(conversation.unreadCount), Int64(expected.unreadCount(of: person))),
            ("mentionCount", Int64(conversation.mentionCount), Int64(expected.mentionCount(of: person))),
            ("firstUnreadSeq", conversation.firstUnreadSeq, expected.firstUnreadSeq(of: person)),
        ]
        for (name, value, implied) in pairs where value != implied {
            differences.append("\(name) is \(value.text), implied \(implied.text)")
        }
        if conversation.me.mutedUntil != expected.mutedUntil[person] {
            differences.append("mutedUntil is \(conversation.me.mutedUntil.map(Timestamp.format).text)")
        }
        let role: ParticipantRole = person == expected.owner ? .owner : .member
        if conversation.me.role != role { differences.append("role is \(conversation.me.role.rawValue)") }
        return differences
    }
}
