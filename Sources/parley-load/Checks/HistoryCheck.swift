import ParleyWire

/// Whether a history holds every acknowledged message exactly once, in `seq` order, unchanged.
struct HistoryCheck {
    let expected: ExpectedConversation
    let reader: WireID
    private let byID: [WireID: ExpectedMessage]

    init(expected: ExpectedConversation, reader: WireID) {
        self.expected = expected
        self.reader = reader
        byID = Dictionary(expected.messages.map { ($0.id, $0) }) { first, _ in first }
    }

    /// What differs in a message from what was sent and acknowledged; nothing about messages nobody sent.
    func differences(of message: Message) -> [String] {
        byID[message.id].map { differences(of: message, from: $0) } ?? []
    }

    /// What is missing, doubled, strange or out of order, compared with what a reader must see up to a `seq`.
    func orderDifferences(of history: [Message], upTo lastSeq: Int64? = nil) -> [String] {
        var differences: [String] = []
        var last: Int64 = 0
        var times: [WireID: Int] = [:]
        for message in history where message.kind != .system {
            guard let seq = message.seq else {
                differences.append("\(message.id) has no seq")
                continue
            }
            if seq <= last { differences.append("seq \(seq) stands after \(last)") }
            last = max(last, seq)
            times[message.id, default: 0] += 1
        }
        for message in expected.messages where message.seq <= lastSeq ?? .max {
            let count = times.removeValue(forKey: message.id) ?? 0
            if count != 1 { differences.append("seq \(message.seq) (\(message.id)) is there \(count) times") }
        }
        for id in times.keys.sorted() { differences.append("\(id) is there, though nobody acknowledged it") }
        return differences
    }

    private func differences(of message: Message, from expected: ExpectedMessage) -> [String] {
        var differences: [String] = []
        if message.seq != expected.seq { differences.append("seq is \(message.seq.text)") }
        if message.timestamp != expected.timestamp { differences.append("timestamp has changed") }
        if message.senderId != expected.sender { differences.append("sender is \(message.senderId)") }
        if !message.text.isIdentical(to: expected.text) { differences.append("words have changed") }
        if message.clientTimestamp != expected.clientTimestamp { differences.append("clientTimestamp has changed") }
        if message.conversationId != self.expected.id { differences.append("another conversation") }
        differences += replyDifferences(of: message, from: expected)
        differences += changeDifferences(of: message, from: expected)
        let isOwn = expected.sender == reader
        let ownFields = [message.status == nil, message.recipientCount == nil, message.deliveredTo == nil]
        if ownFields.contains(isOwn) { differences.append("receipts shown to \(isOwn ? "no one" : "others")") }
        return differences
    }

    /// What was made of the message, or was given to it.
    private func changeDifferences(of message: Message, from expected: ExpectedMessage) -> [String] {
        var differences: [String] = []
        if (message.editedAt != nil) != expected.isEdited { differences.append("editedAt is \(message.editedAt.text)") }
        if (message.deletedAt != nil) != expected.isDeleted || message.deletedBy != expected.deletedBy {
            differences.append("deletedBy is \(message.deletedBy.text), implied \(expected.deletedBy.text)")
        }
        if message.pinnedBy != expected.pinnedBy || (message.pinnedAt != nil) != (expected.pinnedBy != nil) {
            differences.append("pinnedBy is \(message.pinnedBy.text), implied \(expected.pinnedBy.text)")
        }
        if Set(message.mentions) != Set(expected.isDeleted ? [] : expected.mentions.map { .user($0) }) {
            differences.append("mentions are \(message.mentions)")
        }
        if message.attachments.map(\.id) != (expected.isDeleted ? [] : [expected.picture].compactMap(\.self)) {
            differences.append("attachments are \(message.attachments.map(\.id))")
        }
        let tally = expected.tally(for: reader)
        if message.reactions != tally {
            differences.append("reactions are \(message.reactions.map(\.text)), implied \(tally.map(\.text))")
        }
        return differences
    }

    private func replyDifferences(of message: Message, from expected: ExpectedMessage) -> [String] {
        if expected.isDeleted { return message.replyTo == nil ? [] : ["answers, though deleted"] }
        guard message.replyTo?.id == expected.replyTo else { return ["replyTo is \((message.replyTo?.id).text)"] }
        guard let reply = message.replyTo else { return [] }
        guard let target = byID[reply.id] else { return [] }
        let isRight =
            reply.seq == target.seq && reply.senderId == target.sender
            && reply.text.isIdentical(to: target.text)
        return isRight ? [] : ["replyTo shows other words, seq or sender than the message has"]
    }
}

extension Reaction {
    /// For people: the kind, how many gave it, and whether the reader did.
    fileprivate var text: String { "\(emoji) \(count)\(mine ? " with mine" : "")" }
}
