import Edge
import Foundation
import ParleyWire
import ReadModels

/// What a request to send something later asks for, checked.
struct ScheduleFields {
    let conversation: UUID
    let sendAt: Date
    let message: SendMessageFields

    /// How far ahead something may be scheduled.
    static let farthest: TimeInterval = 365 * 86_400

    init(_ fields: Fields, limits: ServerLimits) throws(HTTPProblem) {
        var fields = fields
        let conversation = fields.id("conversationId", required: true)
        let sendAt = fields.time("sendAt", required: true)
        let message = SendMessageFields(reading: &fields, limits: limits)
        guard let conversation, let sendAt, let message else { throw fields.problem }
        self.conversation = conversation
        self.sendAt = sendAt
        self.message = message
    }

    var content: ScheduledSend.Content {
        ScheduledSend.Content(
            text: message.text,
            replyTo: message.replyToID,
            mentions: message.mentions,
            mentionsAll: message.mentionsAll,
            clientTimestamp: message.clientTimestamp,
            attachments: message.attachmentIDs
        )
    }

    /// - Throws: where it is not for a time that lies ahead, and not too far.
    func checkTime(at now: Date) throws(HTTPProblem) {
        guard sendAt <= now || sendAt.timeIntervalSince(now) > Self.farthest else { return }
        let message = "A time within the next \(Int(Self.farthest) / 86_400) days is expected."
        throw .invalid(pointer: "/sendAt", .outOfRange, message)
    }
}

extension SendMessageFields {
    /// What was checked when it was scheduled.
    init(_ content: ScheduledSend.Content) {
        text = content.text
        replyToID = content.replyTo
        mentions = content.mentions
        mentionsAll = content.mentionsAll ?? false
        clientTimestamp = content.clientTimestamp
        attachmentIDs = content.attachments ?? []
    }
}
