import Foundation
import ParleyWire

/// A conversation as the journal implies it: the oracle of the checks, by counting, without any cleverness.
struct ExpectedConversation: Sendable {
    let id: WireID
    let owner: WireID
    var groupName: String
    /// By `seq`; without holes as long as the server keeps its word.
    private(set) var messages: [ExpectedMessage] = []
    /// Every stay of every person, in order.
    private(set) var spans: [WireID: [MembershipSpan]] = [:]
    private(set) var headSeq: Int64 = 0
    /// Of members who have muted it.
    private(set) var mutedUntil: [WireID: Date] = [:]

    init(id: WireID, owner: WireID, groupName: String, members: [WireID]) {
        self.id = id
        self.owner = owner
        self.groupName = groupName
        for member in [owner] + members { join(member) }
    }

    var members: [WireID] { spans.filter { $0.value.last?.toSeq == nil }.map(\.key) }

    var formerMembers: [WireID] { spans.filter { $0.value.last?.toSeq != nil }.map(\.key) }

    func isMember(_ person: WireID) -> Bool { current(person) != nil }

    /// The present stay of a member.
    func current(_ person: WireID) -> MembershipSpan? {
        guard let span = spans[person]?.last, span.toSeq == nil else { return nil }
        return span
    }

    mutating func join(_ person: WireID) {
        guard !isMember(person) else { return }
        spans[person, default: []].append(MembershipSpan(fromSeq: headSeq))
    }

    mutating func leave(_ person: WireID) {
        guard isMember(person), let last = spans[person]?.indices.last else { return }
        spans[person]?[last].toSeq = headSeq
        // Who comes back begins with a view as everybody's.
        mutedUntil[person] = nil
    }

    /// Takes messages that were acknowledged, in any order.
    mutating func sent(_ new: [ExpectedMessage]) {
        for message in new.sorted(by: { $0.seq < $1.seq }) {
            let place = messages.lastIndex { $0.seq <= message.seq }.map { $0 + 1 } ?? 0
            messages.insert(message, at: place)
            headSeq = max(headSeq, message.seq)
        }
    }

    mutating func change(_ message: WireID, _ body: (inout ExpectedMessage) -> Void) {
        // What is changed is mostly new.
        guard let place = messages.lastIndex(where: { $0.id == message }) else { return }
        body(&messages[place])
    }

    mutating func mute(_ person: WireID, until time: Date?) { mutedUntil[person] = time }

    /// Moves a member's marks: only forward, to the head at most, read implies delivered.
    mutating func advance(_ person: WireID, deliveredSeq: Int64?, readSeq: Int64?) {
        guard isMember(person), let last = spans[person]?.indices.last, var span = spans[person]?[last] else { return }
        span.readSeq = max(span.readSeq, min(readSeq ?? 0, headSeq))
        span.deliveredSeq = max(span.deliveredSeq, min(deliveredSeq ?? 0, headSeq), span.readSeq)
        spans[person]?[last] = span
    }

    func unreadCount(of person: WireID) -> Int {
        unread(by: person).count
    }

    func mentionCount(of person: WireID) -> Int {
        unread(by: person).count { $0.mentions.contains(person) }
    }

    func firstUnreadSeq(of person: WireID) -> Int64? {
        unread(by: person).first?.seq
    }

    private func unread(by person: WireID) -> [ExpectedMessage] {
        guard let span = current(person) else { return [] }
        return messages.reversed().prefix { $0.seq > span.readSeq }.reversed()
            .filter { $0.sender != person && !$0.isDeleted }
    }

    /// Those who were members when it was sent, without the sender, less those who went before they had it.
    func receipts(of message: ExpectedMessage) -> ExpectedReceipts {
        var sentTo = 0
        var recipients: Set<WireID> = []
        var deliveredTo: Set<WireID> = []
        var readBy: Set<WireID> = []
        for (person, stays) in spans where person != message.sender {
            guard let stay = stays.first(where: { $0.covers(message.seq) }) else { continue }
            sentTo += 1
            let hasIt = stay.deliveredSeq >= message.seq
            guard hasIt || stay.toSeq == nil else { continue }
            recipients.insert(person)
            if hasIt { deliveredTo.insert(person) }
            if stay.readSeq >= message.seq { readBy.insert(person) }
        }
        return ExpectedReceipts(sentTo: sentTo, recipients: recipients, deliveredTo: deliveredTo, readBy: readBy)
    }

    /// Whether a stream of the person must carry the message.
    func isEntitled(_ person: WireID, to message: ExpectedMessage) -> Bool {
        spans[person]?.contains { $0.covers(message.seq) } ?? false
    }
}
