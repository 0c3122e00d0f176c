import Edge
import Foundation
import ParleyWire

/// What a request for an invite asks for, checked.
struct CreateInviteFields {
    let maxUses: Int?
    let expiresAt: Date?

    init(_ fields: Fields, limits: ServerLimits, now: Date) throws(HTTPProblem) {
        var fields = fields
        maxUses = fields.integer("maxUses", 1...Int64(limits.maxGroupMembers)).map { Int($0) }
        expiresAt = fields.time("expiresAt")
        if let expiresAt, expiresAt <= now { fields.fail("expiresAt", .outOfRange, "A time to come is expected.") }
        guard fields.areValid else { throw fields.problem }
    }

    var content: [UInt8] {
        var content = CanonicalContent("createInvite")
        content.append(maxUses.map { "\($0)" })
        content.append(expiresAt.map { Timestamp.format($0) })
        return content.bytes
    }
}
