import Attachments
import Edge
import Foundation
import Messaging
import ParleyWire

/// What a request to send asks for, checked.
struct SendMessageFields {
    let text: String
    let replyToID: UUID?
    let mentions: [UUID]
    let mentionsAll: Bool
    let clientTimestamp: Date?
    let attachmentIDs: [UUID]

    static let maxMentions = 100

    init(_ fields: Fields, limits: ServerLimits) throws(HTTPProblem) {
        var fields = fields
        guard let message = SendMessageFields(reading: &fields, limits: limits) else { throw fields.problem }
        self = message
    }

    /// Nil, with its errors in the fields, where something is wrong with it.
    init?(reading fields: inout Fields, limits: ServerLimits) {
        var seenFiles: Set<UUID> = []
        let files = fields.ids("attachmentIds", atMost: AttachmentLimits.perMessage) ?? []
        attachmentIDs = files.filter { seenFiles.insert($0).inserted }
        // Files speak for themselves.
        let text =
            attachmentIDs.isEmpty ? fields.messageText(limits) : fields.text("text", 0...limits.maxTextScalars) ?? ""
        replyToID = fields.id("replyToId")
        let mentioned = fields.values("mentions", atMost: Self.maxMentions, "A UUID or @all is expected.") { text in
            let mention = Mention(text)
            return mention == .other(text) ? nil : mention
        }
        var seen: Set<UUID> = []
        mentions = mentioned?.compactMap(\.userID?.uuid).filter { seen.insert($0).inserted } ?? []
        mentionsAll = mentioned?.contains(.all) ?? false
        clientTimestamp = fields.time("clientTimestamp")
        guard let text, fields.areValid else { return nil }
        self.text = text
    }

    /// `clientTimestamp` is left out: a client that sends again may say a later time.
    var content: [UInt8] {
        var content = CanonicalContent("sendMessage")
        append(to: &content)
        return content.bytes
    }

    func append(to content: inout CanonicalContent) {
        content.append(text)
        content.append(replyToID)
        content.append(Set(mentions))
        // Only where it is so: other contents stay the bytes that are stored of them. What may come next, in a batch, is an
        // id, which is longer.
        if mentionsAll { content.append("\(Mention.all)") }
        if !attachmentIDs.isEmpty { content.append(files: attachmentIDs) }
    }

    func command(_ id: UUID, by sender: UUID, replyTo: ReplyTo?, files: [AttachedFile], at now: Date) -> SendMessage {
        SendMessage(
            messageID: id,
            sender: sender,
            text: text,
            replyTo: replyTo.map { MessageReference(id: $0.id.uuid, seq: $0.seq) },
            mentions: mentions,
            mentionsAll: mentionsAll,
            clientTimestamp: clientTimestamp,
            now: now,
            attachments: files
        )
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
        if let text, TextRules.isBlank(text) { fail("text", .blank, "A message needs characters that show.") }
        return text
    }
}
