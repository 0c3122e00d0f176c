import Edge
import Foundation
import ParleyWire

/// How far the caller says to have received and read, checked: one advance per conversation, in the order asked.
struct ReceiptFields {
    let advances: [Advance]

    struct Advance {
        let conversation: UUID
        var deliveredSeq: Int64?
        var readSeq: Int64?
    }

    init(_ fields: Fields, limits: ServerLimits) throws(HTTPProblem) {
        var fields = fields
        let asked = fields.objects("receipts", atMost: limits.maxReceiptsPerRequest, required: true) {
            item -> Advance? in
            let conversation = item.id("conversationId", required: true)
            let deliveredSeq = item.integer("deliveredSeq", 0...Int64.max)
            let readSeq = item.integer("readSeq", 0...Int64.max)
            return conversation.map { Advance(conversation: $0, deliveredSeq: deliveredSeq, readSeq: readSeq) }
        }
        guard let asked, fields.areValid else { throw fields.problem }
        advances = Self.merged(asked)
    }

    private static func merged(_ asked: [Advance]) -> [Advance] {
        var places: [UUID: Int] = [:]
        var merged: [Advance] = []
        for advance in asked {
            if let place = places[advance.conversation] {
                merged[place].deliveredSeq = larger(merged[place].deliveredSeq, advance.deliveredSeq)
                merged[place].readSeq = larger(merged[place].readSeq, advance.readSeq)
            } else {
                places[advance.conversation] = merged.count
                merged.append(advance)
            }
        }
        return merged
    }

    private static func larger(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}
