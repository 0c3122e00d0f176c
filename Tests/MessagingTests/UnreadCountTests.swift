import Foundation
import Messaging
import TestSupport
import Testing

/// What members have not read, against counting the messages.
@Suite struct `The unread count of a member` {
    private struct Walk {
        var conversation = Conversation()
        var senders: [UUID] = []
        var deleted: Set<Int64> = []
        var random: SeededRandom
        let people = [ada, grace, alan]

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            let members = people.map { ConversationStarted.Member(id: $0, role: .owner) }
            evolve(.started(ConversationStarted(kind: .group, members: members)))
        }

        private mutating func evolve(_ event: ConversationEvent) {
            ConversationDecider.evolve(&conversation, event)
        }

        mutating func send(_ sender: UUID) {
            senders.append(sender)
            evolve(
                .messageSent(MessageSent(messageID: UUID(), sender: sender, seq: head, text: nil, recipientCount: 2))
            )
        }

        mutating func delete(_ seq: Int64) {
            guard deleted.insert(seq).inserted else { return }
            let sender = senders[Int(seq) - 1]
            evolve(.messageDeleted(MessageDeleted(messageID: UUID(), seq: seq, sender: sender)))
        }

        var head: Int64 { Int64(senders.count) }

        mutating func read(_ reader: UUID, to seq: Int64) {
            evolve(
                .receiptsAdvanced(ReceiptsAdvanced(marks: [.init(person: reader, deliveredSeq: seq, readSeq: seq)]))
            )
        }

        mutating func rejoin(_ person: UUID) {
            evolve(.participantRemoved(ParticipantRemoved(person: person, headSeq: head)))
            evolve(.participantAdded(ParticipantAdded(person: person, role: .member, headSeq: head)))
        }

        func counted(_ person: UUID) -> Int64? {
            conversation.members[person].flatMap { conversation.unreadCount(of: $0) }
        }

        func expected(_ person: UUID) -> Int64 {
            let mark = Int(conversation.members[person]?.readSeq ?? 0)
            return Int64(
                senders.enumerated().dropFirst(mark).count { $1 != person && !deleted.contains(Int64($0) + 1) }
            )
        }
    }

    @Test(arguments: 0..<50) func `is that of the messages after the mark that are others' and not deleted`(
        seed: UInt64
    ) throws {
        var walk = Walk(seed: seed)
        for _ in 0..<300 {
            let person = walk.people[Int.random(in: 0..<3, using: &walk.random)]
            switch Int.random(in: 0..<20, using: &walk.random) {
            case 0: walk.rejoin(person)
            case 1: walk.read(person, to: walk.head)
            case 6, 7: if walk.head > 0 { walk.delete(Int64.random(in: 1...walk.head, using: &walk.random)) }
            case 2..<6 where walk.head > 0: walk.read(person, to: Int64.random(in: 1...walk.head, using: &walk.random))
            default: walk.send(person)
            }
            for person in walk.people {
                if let count = walk.counted(person) { #expect(count == walk.expected(person)) }
            }
        }
    }

    @Test func `is not known where more is deleted after the mark than a state remembers`() {
        var walk = Walk(seed: 0)
        for _ in 0..<600 { walk.send(grace) }
        for seq in Int64(1)...512 { walk.delete(seq) }
        #expect(walk.counted(ada) == 88)
        walk.delete(513)
        #expect(walk.counted(ada) == nil)
        walk.read(ada, to: 300)
        #expect(walk.counted(ada) == 87)
    }

    @Test func `is not known of who sends and never reads, until the mark reaches the head`() {
        var walk = Walk(seed: 0)
        for _ in 0..<32 {
            walk.send(ada)
            walk.send(grace)
        }
        #expect(walk.counted(ada) == 32)
        walk.send(ada)
        #expect(walk.counted(ada) == nil)
        walk.read(ada, to: 10)
        #expect(walk.counted(ada) == nil)
        walk.read(ada, to: walk.head)
        #expect(walk.counted(ada) == 0)
        walk.send(grace)
        #expect(walk.counted(ada) == 1)
    }
}
