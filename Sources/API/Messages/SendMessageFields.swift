import Edge
import Foundation
import ParleyWire

/// What a request to send asks for, checked.
struct SendMessageFields {
    let text: String
    let replyToID: UUID?
    let mentions: [UUID]
    let clientTimestamp: Date?

    static let maxMentions = 100

    init(_ fields: Fields, limits: ServerLimits) throws(HTTPProblem) {
        var fields = fields
        let text = fields.messageText(limits)
        replyToID = fields.id("replyToId")
        mentions = fields.ids("mentions", atMost: Self.maxMentions) ?? []
        clientTimestamp = fields.time("clientTimestamp")
        if let attachments = fields.ids("attachmentIds", atMost: Self.maxMentions), !attachments.isEmpty {
            fields.fail("attachmentIds", .notAllowed, "This server has no attachments.")
        }
        guard let text, fields.areValid else { throw fields.problem }
        self.text = text
    }

    /// `clientTimestamp` is left out: a client that sends again may say a later time.
    var content: [UInt8] {
        var content = CanonicalContent("sendMessage")
        content.append(text)
        content.append(replyToID)
        content.append(Set(mentions))
        return content.bytes
    }
}

/// What a request to edit a message asks for, checked.
struct MessageText {
    let text: String

    init(_ fields: Fields, limits: ServerLimits) throws(HTTPProblem) {
        var fields = fields
        guard let text = fields.messageText(limits), fields.areValid else { throw fields.problem }
        self.text = text
    }
}

extension Fields {
    fileprivate mutating func messageText(_ limits: ServerLimits) -> String? {
        let text = text("text", 1...limits.maxTextScalars, required: true)
        if let text, TextRules.isBlank(text) { fail("text", .blank, "A message needs more than white space.") }
        return text
    }
}
