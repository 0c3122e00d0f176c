/// One stay of a person in a conversation, with the marks of that stay.
struct MembershipSpan: Sendable, Equatable {
    /// The newest message when the person came.
    let fromSeq: Int64
    /// The newest message when the person went; nil for a member.
    var toSeq: Int64?
    var deliveredSeq: Int64
    var readSeq: Int64

    init(fromSeq: Int64) {
        self.fromSeq = fromSeq
        deliveredSeq = fromSeq
        readSeq = fromSeq
    }

    /// Whether the message was sent during the stay.
    func covers(_ seq: Int64) -> Bool {
        seq > fromSeq && toSeq.map { seq <= $0 } ?? true
    }
}
