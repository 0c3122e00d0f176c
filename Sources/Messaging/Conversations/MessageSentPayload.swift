import Foundation

/// What the log keeps of a message in the clear.
struct MessageSentPayload: Codable {
    let seq: Int64
    let recipientCount: Int
    let replyTo: MessageReference?
    let mentions: [UUID]?
    let clientTimestamp: Date?

    init(_ event: MessageSent) {
        seq = event.seq
        recipientCount = event.recipientCount
        replyTo = event.replyTo
        mentions = event.mentions.isEmpty ? nil : event.mentions
        clientTimestamp = event.clientTimestamp
    }

    /// The bytes of ``EventJSON``, written by hand: most events are messages, and the encoder took 2 % of a send.
    func encoded() throws -> [UInt8] {
        var json = "{"
        if let clientTimestamp {
            // As much as any client sends; anything else is left to the encoder.
            guard let milliseconds = Int64(exactly: clientTimestamp.timeIntervalSince1970 * 1_000) else {
                return try EventJSON.encode(self)
            }
            json += #""clientTimestamp":\#(milliseconds),"#
        }
        if let mentions {
            json += #""mentions":["#
            json += mentions.map { "\"\($0.uuidString)\"" }.joined(separator: ",")
            json += "],"
        }
        json += #""recipientCount":\#(recipientCount),"#
        if let replyTo { json += #""replyTo":{"id":"\#(replyTo.id.uuidString)","seq":\#(replyTo.seq)},"# }
        json += #""seq":\#(seq)}"#
        return Array(json.utf8)
    }

    func event(id: UUID, sender: UUID, text: String?) -> MessageSent {
        MessageSent(
            messageID: id,
            sender: sender,
            seq: seq,
            text: text,
            replyTo: replyTo,
            mentions: mentions ?? [],
            clientTimestamp: clientTimestamp,
            recipientCount: recipientCount
        )
    }
}
