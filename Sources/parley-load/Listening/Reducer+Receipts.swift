import Foundation
import ParleyWire

/// How the marks of the others become the status of one's own messages.
extension Reducer {
    /// Up to so many recipients a message says who has it.
    private static let mostListed = 50

    mutating func apply(_ updated: StreamEvent.ReceiptUpdated) {
        let id = updated.conversationId
        for mark in updated.receipts {
            if mark.userId == me.id {
                guard let own = conversations[id]?.me else { continue }
                conversations[id]?.me.deliveredSeq = max(own.deliveredSeq, mark.deliveredSeq)
                conversations[id]?.me.readSeq = max(own.readSeq, mark.readSeq)
            } else {
                note(mark, in: id)
            }
        }
        recountReceipts(in: id)
    }

    /// A mark covers the messages that were sent while its owner was a member.
    private mutating func note(_ mark: ReceiptMark, in conversation: WireID) {
        guard var timeline = timelines[conversation], let joinedAt = members[conversation]?[mark.userId]?.joinedAt
        else {
            return
        }
        for index in timeline.indices where timeline[index].senderId == me.id {
            guard let seq = timeline[index].seq, timeline[index].timestamp >= joinedAt else { continue }
            if seq <= mark.deliveredSeq, timeline[index].deliveredTo?[mark.userId] == nil {
                timeline[index].deliveredTo?[mark.userId] = mark.at
            }
            if seq <= mark.readSeq, timeline[index].readBy?[mark.userId] == nil {
                timeline[index].readBy?[mark.userId] = mark.at
            }
        }
        timelines[conversation] = timeline
    }

    /// The recipients are those who have it, and the members of now who were members then.
    mutating func recountReceipts(in conversation: WireID) {
        guard var timeline = timelines[conversation], let members = members[conversation] else { return }
        for index in timeline.indices where timeline[index].senderId == me.id {
            guard let deliveredTo = timeline[index].deliveredTo, let readBy = timeline[index].readBy else { continue }
            let timestamp = timeline[index].timestamp
            if members.values.contains(where: { $0.joinedAt == timestamp }) {
                uncertainReceipts.insert(timeline[index].id)
            }
            var recipients = Set(members.values.filter { $0.joinedAt <= timestamp }.map(\.userId))
            recipients.formUnion(deliveredTo.keys)
            recipients.remove(me.id)
            timeline[index].recipientCount = recipients.count
            timeline[index].deliveredCount = deliveredTo.count
            timeline[index].readCount = readBy.count
            timeline[index].status = status(recipients.count, delivered: deliveredTo.count, read: readBy.count)
        }
        timelines[conversation] = timeline
    }

    mutating func membersChanged(in conversation: WireID) {
        guard let members = members[conversation] else { return }
        let sorted = members.values.sorted { ($0.joinedAt, $0.userId) < ($1.joinedAt, $1.userId) }
        let isListed = sorted.count <= Self.mostListed
        conversations[conversation]?.participantCount = sorted.count
        conversations[conversation]?.participants = isListed ? sorted : nil
        conversations[conversation]?.participantIds = isListed ? sorted.map(\.userId) : nil
        recountReceipts(in: conversation)
    }

    mutating func noteSize(of message: Message) {
        if message.recipientCount ?? 0 > Self.mostListed { uncertainReceipts.insert(message.id) }
    }

    private func status(_ recipients: Int, delivered: Int, read: Int) -> MessageStatus {
        if recipients == 0 { return .sent }
        if read == recipients { return .read }
        return delivered == recipients ? .delivered : .sent
    }
}
