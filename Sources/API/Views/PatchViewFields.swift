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
    /// An empty one is none.
    let draft: Change<String>
    /// When it was written, by the clock of the device.
    let draftUpdatedAt: Date?

    /// Whether it asks for more than a draft.
    var changesView: Bool {
        mutedUntil != .unchanged || notificationLevel != nil || archived != nil || pinned != nil || draft == .unchanged
    }

    init(_ fields: Fields, limits: ServerLimits) throws(HTTPProblem) {
        var fields = fields
        for name in ["notificationLevel", "archived", "pinned"] { fields.refuseNull(name) }
        mutedUntil = fields.change("mutedUntil") { $0.time($1) }
        notificationLevel = fields.choice("notificationLevel", of: Messaging.NotificationLevel.self)
        archived = fields.bool("archived")
        pinned = fields.bool("pinned")
        draft = fields.change("draft") { $0.text($1, 0...limits.maxTextScalars) }
        draftUpdatedAt = fields.time("draftUpdatedAt")
        guard fields.areValid else { throw fields.problem }
    }
}
