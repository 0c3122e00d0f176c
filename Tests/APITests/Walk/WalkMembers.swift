import Foundation
import ParleyWire

/// Who is in a conversation, as what, and in which order they came.
struct WalkMembers {
    private(set) var roles: [UUID: ParticipantRole] = [:]
    /// Who came first has the smallest.
    private var turns: [UUID: Int] = [:]
    private var lastTurn = 0

    var people: Set<UUID> { Set(roles.keys) }

    mutating func join(_ person: UUID, as role: ParticipantRole) {
        lastTurn += 1
        turns[person] = lastTurn
        roles[person] = role
    }

    mutating func change(_ person: UUID, to role: ParticipantRole) {
        if roles[person] != nil { roles[person] = role }
    }

    /// Where no owner is left, the longest-standing admin becomes one, else the longest-standing member.
    mutating func leave(_ person: UUID) {
        guard roles.removeValue(forKey: person) == .owner, !roles.values.contains(.owner) else { return }
        let admins = roles.keys.filter { roles[$0] == .admin }
        let heirs = admins.isEmpty ? Array(roles.keys) : admins
        if let heir = heirs.min(by: { turns[$0, default: 0] < turns[$1, default: 0] }) { roles[heir] = .owner }
    }
}
