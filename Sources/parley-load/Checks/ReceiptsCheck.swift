import ParleyWire

/// Whether the receipts of a message are what the journal implies.
struct ReceiptsCheck {
    /// Up to so many recipients a message says who has it.
    static let mostListed = 50

    let expected: ExpectedReceipts

    /// Compares what the author sees on the message.
    func differences(of message: Message) -> [String] {
        var differences: [String] = []
        if message.status != expected.status {
            differences.append("status is \((message.status?.rawValue).text), implied \(expected.status.rawValue)")
        }
        let counts: [(String, Int?, Int)] = [
            ("recipientCount", message.recipientCount, expected.recipients.count),
            ("deliveredCount", message.deliveredCount, expected.deliveredTo.count),
            ("readCount", message.readCount, expected.readBy.count),
        ]
        for (name, value, implied) in counts where value != implied {
            differences.append("\(name) is \(value.text), implied \(implied)")
        }
        guard expected.sentTo <= Self.mostListed else { return differences }
        differences += compare("deliveredTo", Set((message.deliveredTo ?? [:]).keys), expected.deliveredTo)
        differences += compare("readBy", Set((message.readBy ?? [:]).keys), expected.readBy)
        if (message.deliveredTo ?? [:]).values.contains(where: { $0 < message.timestamp }) {
            differences.append("delivered before it was sent")
        }
        return differences
    }

    /// Compares the list of all recipients.
    func differences(of receipts: [MessageReceipt]) -> [String] {
        var differences = compare("recipients", Set(receipts.map(\.userId)), expected.recipients)
        if Set(receipts.map(\.userId)).count != receipts.count { differences.append("someone is there twice") }
        let delivered = receipts.filter { $0.deliveredAt != nil }.map(\.userId)
        let read = receipts.filter { $0.readAt != nil }.map(\.userId)
        differences += compare("delivered", Set(delivered), expected.deliveredTo)
        differences += compare("read", Set(read), expected.readBy)
        return differences
    }

    private func compare(_ name: String, _ people: Set<WireID>, _ implied: Set<WireID>) -> [String] {
        if people == implied { return [] }
        return [
            "\(name): \(implied.subtracting(people).count) missing, \(people.subtracting(implied).count) too many"
        ]
    }
}
