import Foundation

/// What the log keeps of a message in the clear.
struct MessageSentPayload: Codable {
    /// The files by their ids, of which the sealed part says more.
    let attachments: [UUID]?
    let hops: Int?
    let seq: Int64
    let recipientCount: Int
    let replyTo: MessageReference?
    let mentions: [UUID]?
    /// True, or left out.
    let mentionsAll: Bool?
    let clientTimestamp: Date?
    let retention: Int?
    let pacedAt: Date?

    init(_ event: MessageSent) {
        attachments = event.attachments.isEmpty ? nil : event.attachments.map(\.id)
        hops = event.hops == 0 ? nil : event.hops
        seq = event.seq
        recipientCount = event.recipientCount
        replyTo = event.replyTo
        mentions = event.mentions.isEmpty ? nil : event.mentions
        mentionsAll = event.mentionsAll ? true : nil
        clientTimestamp = event.clientTimestamp
        retention = event.retention
        pacedAt = event.pacedAt
    }

    /// The bytes of ``EventJSON``, written by hand: most events are messages, and the encoder took 2 % of a send.
    func encoded() throws -> [UInt8] {
        // So rare that it need not be fast.
        if pacedAt != nil || mentionsAll != nil || attachments != nil { return try EventJSON.encode(self) }
        var json: [UInt8] = []
        json.reserveCapacity(96)
        json.write("{")
        if let clientTimestamp {
            // As much as any client sends; anything else is left to the encoder.
            guard let milliseconds = Int64(exactly: clientTimestamp.timeIntervalSince1970 * 1_000) else {
                return try EventJSON.encode(self)
            }
            json.write(#""clientTimestamp":"#, milliseconds)
            json.write(",")
        }
        if let hops {
            json.write(#""hops":"#, hops)
            json.write(",")
        }
        if let mentions {
            let list = mentions.map { "\"\($0.uuidString)\"" }.joined(separator: ",")
            json.append(contentsOf: #""mentions":[\#(list)],"#.utf8)
        }
        json.write(#""recipientCount":"#, recipientCount)
        if let replyTo {
            json.append(contentsOf: #","replyTo":{"id":"\#(replyTo.id.uuidString)","seq":\#(replyTo.seq)}"#.utf8)
        }
        if let retention { json.write(#","retention":"#, retention) }
        json.write(#","seq":"#, seq)
        json.write("}")
        return json
    }

    /// Reads what ``encoded()`` writes for a message that answers and mentions nobody, digit by digit; nil for all else.
    /// Nearly every event that is read is one of these, and the decoder takes longer than all the rest of reading it.
    init?(plain json: [UInt8]) {
        var scanner = PlainScanner(json)
        guard scanner.skip("{") else { return nil }
        var clientMilliseconds: Int64?
        if scanner.skip(#""clientTimestamp":"#) {
            guard let milliseconds = scanner.number(), scanner.skip(",") else { return nil }
            clientMilliseconds = milliseconds
        }
        guard scanner.skip(#""recipientCount":"#), let recipients = scanner.number(),
            let recipientCount = Int(exactly: recipients), scanner.skip(#","seq":"#), let seq = scanner.number(),
            scanner.skip("}"), scanner.isAtEnd
        else { return nil }
        self.seq = seq
        self.recipientCount = recipientCount
        attachments = nil
        hops = nil
        replyTo = nil
        mentions = nil
        mentionsAll = nil
        retention = nil
        pacedAt = nil
        clientTimestamp = clientMilliseconds.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
    }

    func event(id: UUID, sender: UUID, text: String?, attachments: [AttachedFile] = []) -> MessageSent {
        MessageSent(
            messageID: id,
            sender: sender,
            seq: seq,
            text: text,
            replyTo: replyTo,
            mentions: mentions ?? [],
            mentionsAll: mentionsAll ?? false,
            clientTimestamp: clientTimestamp,
            recipientCount: recipientCount,
            hops: hops ?? 0,
            retention: retention,
            pacedAt: pacedAt,
            attachments: attachments
        )
    }
}
