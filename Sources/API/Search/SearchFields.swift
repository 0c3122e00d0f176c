import Edge
import Foundation
import ParleyWire
import ReadModels

/// What is looked for, checked.
struct SearchFields {
    let request: SearchRequest
    let cursor: String?
    let limit: Int
    /// False where messages are wanted of which there are none: of another kind.
    let asksForTexts: Bool

    init(_ fields: Fields, limits: ServerLimits) throws(HTTPProblem) {
        var fields = fields
        let text = fields.text("query", 0...Query.maxSearchText) ?? ""
        // What nobody can see, nobody asks for.
        let isBlank = TextRules.isBlank(text)
        request = SearchRequest(
            text: isBlank ? "" : text,
            conversation: fields.id("conversationId"),
            sender: fields.id("senderId"),
            after: fields.time("after"),
            before: fields.time("before"),
            mentionsCaller: fields.bool("mentionsMe") ?? false,
            hasAttachment: fields.bool("hasAttachment") ?? false
        )
        let kind = fields.text("kind", 0...50).map { MessageKind(rawValue: $0) }
        asksForTexts = kind == nil || kind == .text
        cursor = fields.text("cursor", 0...1_024).flatMap { $0.isEmpty ? nil : $0 }
        limit = fields.integer("limit", 1...Int64(limits.maxPageSize)).map { Int($0) } ?? limits.defaultPageSize
        if fields.areValid, isBlank, request.sender == nil, !request.mentionsCaller, !request.hasAttachment {
            fields.fail("query", .required, "Words are expected; or else senderId, mentionsMe or hasAttachment.")
        }
        guard fields.areValid else { throw fields.problem }
    }
}
