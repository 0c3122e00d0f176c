import Edge
import Foundation
import ParleyWire
import ReadModels

/// What is looked for, checked.
struct SearchFields {
    let request: SearchRequest
    let cursor: String?
    let limit: Int
    /// False where messages are wanted of which there are none: of another kind, or with attachments.
    let asksForTexts: Bool

    init(_ fields: Fields, limits: ServerLimits) throws(HTTPProblem) {
        var fields = fields
        let text = fields.text("query", 0...Query.maxSearchText) ?? ""
        request = SearchRequest(
            text: text,
            conversation: fields.id("conversationId"),
            sender: fields.id("senderId"),
            after: fields.time("after"),
            before: fields.time("before"),
            mentionsCaller: fields.bool("mentionsMe") ?? false
        )
        let kind = fields.text("kind", 0...50).map { MessageKind(rawValue: $0) }
        asksForTexts = fields.bool("hasAttachment") != true && (kind == nil || kind == .text)
        cursor = fields.text("cursor", 0...1_024).flatMap { $0.isEmpty ? nil : $0 }
        limit = fields.integer("limit", 1...Int64(limits.maxPageSize)).map { Int($0) } ?? limits.defaultPageSize
        let isBlank = text.allSatisfy(\.isWhitespace)
        if fields.areValid, isBlank, request.sender == nil, !request.mentionsCaller {
            fields.fail("query", .required, "Words are expected; or else senderId, or mentionsMe.")
        }
        guard fields.areValid else { throw fields.problem }
    }
}
