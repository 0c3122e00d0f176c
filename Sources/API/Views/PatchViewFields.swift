import Edge
import Foundation
import Messaging
import ParleyWire

/// What a request to change the own view of a conversation asks for, checked.
struct PatchViewFields {
    let mutedUntil: Change<Date>
    let notificationLevel: Messaging.NotificationLevel?
    let archived: Bool?
    let pinned: Bool?

    init(_ fields: Fields) throws(HTTPProblem) {
        var fields = fields
        for name in ["notificationLevel", "archived", "pinned"] { fields.refuseNull(name) }
        mutedUntil = fields.change("mutedUntil") { $0.time($1) }
        notificationLevel = fields.choice("notificationLevel", of: Messaging.NotificationLevel.self)
        archived = fields.bool("archived")
        pinned = fields.bool("pinned")
        guard fields.areValid else { throw fields.problem }
    }
}
