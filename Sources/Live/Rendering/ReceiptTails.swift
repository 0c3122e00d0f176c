import Foundation
import Messaging
import ReadModels

/// Who wrote the newest messages of busy conversations, and where marks stood: tells whom a receipt concerns without
/// asking the database. Bounded: conversations that were quiet for a while are forgotten.
struct ReceiptTails {
    private struct Tail {
        var firstSeq: Int64
        var senders: [UUID] = []
        var marks: [UUID: (delivered: Int64, read: Int64)] = [:]

        var weight: Int { senders.count + marks.count }

        mutating func append(_ sender: UUID, at seq: Int64, limit: Int) {
            let next = firstSeq + Int64(senders.count)
            // Seen already: an event is rendered again after a fault.
            guard seq >= next else { return }
            if seq > next {
                firstSeq = seq
                senders = []
            }
            senders.append(sender)
            // Many at once, so that dropping the oldest costs little per message.
            if senders.count > 2 * limit {
                senders.removeFirst(limit)
                firstSeq += Int64(limit)
            }
        }

        func covers(_ range: Range<Int64>) -> Bool {
            range.isEmpty || (firstSeq <= range.lowerBound && range.upperBound <= firstSeq + Int64(senders.count))
        }

        func senders(of range: Range<Int64>) -> ArraySlice<UUID> {
            guard !range.isEmpty else { return [] }
            return senders[Int(range.lowerBound - firstSeq)..<Int(range.upperBound - firstSeq)]
        }
    }

    private var young: [UUID: Tail] = [:]
    private var old: [UUID: Tail] = [:]
    private var youngWeight = 0
    private let capacity: Int
    private let maxSenders: Int

    init(capacity: Int = 200_000, maxSenders: Int = 512) {
        self.capacity = capacity
        self.maxSenders = maxSenders
    }

    /// Takes in an announcement that was passed on.
    mutating func note(_ announcement: Announcement) {
        switch announcement.membership {
        case .joined(let conversation, let people, let headSeq):
            for person in people { joined(person, at: headSeq, in: conversation) }
        case .left(let conversation, let person): left(person, conversation)
        case nil: break
        }
        guard let conversation = announcement.conversation else { return }
        switch announcement.news {
        case .messageCreated(let message, _): sent(message.seq, by: message.sender, in: conversation)
        case .receiptsUpdated(let advanced, _):
            for mark in advanced.marks { advance(mark, in: conversation) }
        case .conversationCreated, .conversationUpdated, .conversationRemoved, .participantAdded, .participantUpdated,
            .participantRemoved, .userUpdated, .messageUpdated, .messageDeleted, .messageHidden, .reactionsUpdated,
            .viewUpdated,
            .blockUpdated:
            break
        }
    }

    mutating func sent(_ seq: Int64, by sender: UUID, in conversation: UUID) {
        let limit = maxSenders
        change(conversation) { $0.append(sender, at: seq, limit: limit) }
    }

    mutating func joined(_ person: UUID, at headSeq: Int64, in conversation: UUID) {
        change(conversation) { $0.marks[person] = (headSeq, headSeq) }
    }

    mutating func left(_ person: UUID, _ conversation: UUID) {
        change(conversation) { $0.marks[person] = nil }
    }

    /// The authors of the messages that a mark newly covers, its own person left out; nil where memory does not know.
    func authors(coveredBy mark: ReceiptsAdvanced.Mark, in conversation: UUID) -> CoveredAuthors? {
        guard let tail = young[conversation] ?? old[conversation],
            let before = tail.marks[mark.person]
        else { return nil }
        let delivered = (before.delivered + 1)..<max(before.delivered, mark.deliveredSeq) + 1
        let read = (before.read + 1)..<max(before.read, mark.readSeqForOthers) + 1
        guard tail.covers(delivered), tail.covers(read) else { return nil }
        return CoveredAuthors(
            delivered: Set(tail.senders(of: delivered)).subtracting([mark.person]),
            read: Set(tail.senders(of: read)).subtracting([mark.person])
        )
    }

    mutating func advance(_ mark: ReceiptsAdvanced.Mark, in conversation: UUID) {
        change(conversation) { tail in
            let known = tail.marks[mark.person] ?? (0, 0)
            tail.marks[mark.person] = (max(known.delivered, mark.deliveredSeq), max(known.read, mark.readSeqForOthers))
        }
    }

    private mutating func change(_ conversation: UUID, _ body: (inout Tail) -> Void) {
        if let tail = old.removeValue(forKey: conversation) {
            youngWeight += tail.weight
            young[conversation] = tail
        }
        let weight = young[conversation]?.weight ?? 0
        body(&young[conversation, default: Tail(firstSeq: 1)])
        youngWeight += (young[conversation]?.weight ?? 0) - weight
        guard youngWeight > capacity / 2 else { return }
        old = young
        young = [:]
        youngWeight = 0
    }
}
