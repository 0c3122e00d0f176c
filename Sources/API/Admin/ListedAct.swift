import Foundation
import Identity
import ParleyWire

/// What an operator did, as `GET /admin/v1/audit` lists it.
struct ListedAct: Codable, Hashable, Sendable {
    let number: Int64
    let at: Date
    let `operator`: String
    let action: String
    @Nullable var target: String?

    init(_ entry: AuditEntry) {
        number = entry.number
        at = entry.at
        `operator` = entry.operator
        action = entry.action
        target = entry.target
    }
}
