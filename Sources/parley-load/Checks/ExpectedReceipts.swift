import ParleyWire

/// How far a message must have come, as the journal implies.
struct ExpectedReceipts: Sendable, Equatable {
    /// How many were members when it was sent, without the sender.
    let sentTo: Int
    let recipients: Set<WireID>
    let deliveredTo: Set<WireID>
    let readBy: Set<WireID>

    var status: MessageStatus {
        if recipients.isEmpty { return .sent }
        if readBy.count == recipients.count { return .read }
        return deliveredTo.count == recipients.count ? .delivered : .sent
    }
}
