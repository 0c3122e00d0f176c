import Foundation
import ParleyWire

@testable import parley_load

/// Hand-made input for the tests.
enum Samples {
    static func id(_ number: Int) -> WireID {
        WireID("00000000-0000-7000-8000-" + String(number + 1_000_000_000_000).suffix(12)) ?? WireID()
    }

    static func time(_ second: Int) -> Date { Timestamp.date(milliseconds: 1_772_359_200_000 + Int64(second) * 1000) }

    /// A log with bursts, replies and renames, made without chance.
    static func log(name: String = "sample", messages: Int) -> ChatLog {
        ChatLog(
            name: name,
            lines: (0..<messages).map { number in
                LogLine(
                    line: number,
                    at: time(number / 4),
                    kind: number % 50 == 49 ? .rename : .message,
                    sender: "nick\((number * number + number / 7) % 23)",
                    text: "line \(number)",
                    replyTo: number % 3 == 0 && number > 10 ? number - 1 - number % 9 : nil,
                    newName: "nick\(number % 23)_away"
                )
            }
        )
    }

    /// Lines like `ann: hi` and `ann -> anna`.
    static func log(_ lines: [String]) -> ChatLog {
        ChatLog(
            name: "sample",
            lines: lines.enumerated().map { number, line in
                let rename = line.components(separatedBy: " -> ")
                let said = line.components(separatedBy: ": ")
                return LogLine(
                    line: number,
                    at: time(number),
                    kind: rename.count == 2 ? .rename : .message,
                    sender: rename.count == 2 ? rename[0] : said[0],
                    text: said.last,
                    replyTo: nil,
                    newName: rename.last
                )
            }
        )
    }

    static func plan(seed: UInt64, logs: [ChatLog]? = nil, options: PlanOptions = PlanOptions()) -> Plan {
        var planner = Planner(seed: seed, options: options)
        return planner.plan(logs ?? [log(name: "one", messages: 600), log(name: "two", messages: 300)])
    }

    static let ann = id(1)
    static let bob = id(2)
    static let cyd = id(3)
    static let dan = id(4)
    static let conversationID = id(100)

    /// Ann owns a group with Bob and Cyd.
    static func conversation() -> ExpectedConversation {
        ExpectedConversation(id: conversationID, owner: ann, groupName: "Trip", members: [bob, cyd])
    }

    static func sent(
        _ seq: Int64,
        by sender: WireID,
        text: String? = nil,
        replyTo: WireID? = nil,
        mentions: [WireID] = []
    ) -> ExpectedMessage {
        ExpectedMessage(
            id: id(1000 + Int(seq)),
            seq: seq,
            sender: sender,
            text: text ?? "text \(seq)",
            replyTo: replyTo,
            mentions: mentions,
            clientTimestamp: time(Int(seq)),
            timestamp: time(Int(seq))
        )
    }

    /// The message as a reader must see it.
    static func shown(_ message: ExpectedMessage, to reader: WireID, in conversation: ExpectedConversation) -> Message {
        let reply = conversation.messages.first { $0.id == message.replyTo }
        var shown = Message(
            id: message.id,
            localId: message.id,
            conversationId: conversation.id,
            seq: message.seq,
            senderId: message.sender,
            text: message.text,
            replyTo: message.isDeleted
                ? nil : reply.map { ReplyTo(id: $0.id, seq: $0.seq, senderId: $0.sender, text: $0.text) },
            mentions: message.isDeleted ? [] : message.mentions.map { .user($0) },
            reactions: message.tally(for: reader),
            timestamp: message.timestamp,
            clientTimestamp: message.clientTimestamp,
            editedAt: message.isEdited ? time(90) : nil,
            deletedAt: message.isDeleted ? time(91) : nil,
            deletedBy: message.deletedBy,
            pinnedAt: message.pinnedBy.map { _ in time(92) },
            pinnedBy: message.pinnedBy,
            revision: message.seq
        )
        guard reader == message.sender else { return shown }
        let receipts = conversation.receipts(of: message)
        shown.status = receipts.status
        shown.recipientCount = receipts.recipients.count
        shown.deliveredCount = receipts.deliveredTo.count
        shown.readCount = receipts.readBy.count
        let times = { (people: Set<WireID>) in Dictionary(uniqueKeysWithValues: people.map { ($0, message.timestamp) })
        }
        shown.deliveredTo = times(receipts.deliveredTo)
        shown.readBy = times(receipts.readBy)
        return shown
    }
}
