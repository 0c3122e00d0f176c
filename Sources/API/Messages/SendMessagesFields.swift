import Edge
import Foundation
import Messaging
import ParleyWire

/// What a request to send several messages at once asks for, checked.
struct SendMessagesFields {
    static let maxMessages = 100

    struct Item {
        let id: UUID
        let fields: SendMessageFields
    }

    let items: [Item]

    /// - Parameter newID: makes the id of a message that brings none, by its place.
    init(_ fields: Fields, limits: ServerLimits, newID: (Int) -> UUID) throws(HTTPProblem) {
        var fields = fields
        var ids: Set<UUID> = []
        var items: [Item] = []
        _ = fields.objects("messages", atMost: Self.maxMessages, required: true) { item -> Item? in
            let id = item.id("id") ?? newID(items.count)
            if item.has("id"), id.uuid.6 >> 4 == 8 {
                item.fail("id", .notAllowed, "UUIDs of version 8 are made by the server only.")
            } else if !ids.insert(id).inserted {
                item.fail("id", .notAllowed, "Each message has an id of its own.")
            }
            guard let message = SendMessageFields(reading: &item, limits: limits) else { return nil }
            items.append(Item(id: id, fields: message))
            return items.last
        }
        if fields.areValid, items.isEmpty { fields.fail("messages", .tooFew, "At least one message is expected.") }
        guard fields.areValid else { throw fields.problem }
        self.items = items
    }

    var content: [UInt8] {
        var content = CanonicalContent("sendMessages")
        for item in items {
            content.append(item.id)
            item.fields.append(to: &content)
        }
        return content.bytes
    }
}
