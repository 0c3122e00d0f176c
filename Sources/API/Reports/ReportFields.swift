import Edge
import Foundation
import ParleyWire

/// What a report says, checked.
struct ReportFields {
    enum Reason: String, CaseIterable {
        case spam, harassment, hate, violence, sexual, selfHarm, fraud, illegal, other
    }

    let userID: UUID?
    let conversationID: UUID?
    let messageID: UUID?
    let reason: Reason
    let comment: String?

    static let maxComment = 1_000

    init(_ fields: Fields, by caller: UUID) throws(HTTPProblem) {
        var fields = fields
        userID = fields.id("userId")
        conversationID = fields.id("conversationId")
        messageID = fields.id("messageId")
        comment = fields.text("comment", 0...Self.maxComment).flatMap { $0.isEmpty ? nil : $0 }
        let reason = fields.choice("reason", of: Reason.self)
        if reason == nil {
            let names = Reason.allCases.map(\.rawValue).joined(separator: ", ")
            fields.fail("reason", .required, "One of these is expected: \(names).")
        }
        if fields.areValid, userID == nil, conversationID == nil {
            fields.fail("userId", .required, "A person, a conversation, or a message of one is expected.")
        }
        if messageID != nil, conversationID == nil {
            fields.fail("conversationId", .required, "A message is named with its conversation.")
        }
        if userID == caller { fields.fail("userId", .notAllowed, "Another person is expected.") }
        guard let reason, fields.areValid else { throw fields.problem }
        self.reason = reason
    }

    var content: [UInt8] {
        var content = CanonicalContent("report")
        content.append(userID)
        content.append(conversationID)
        content.append(messageID)
        content.append(reason.rawValue)
        content.append(comment)
        return content.bytes
    }
}
