package import Foundation

/// A person blocks another one, or takes that back.
///
/// It stands in the direct conversation of the two, which need not have begun: what it forbids is forbidden there.
package struct BlockChanged: Sendable, Equatable, Codable {
    /// Who blocks.
    package let person: UUID
    package let blocked: UUID
    package let isBlocked: Bool

    package init(person: UUID, blocked: UUID, isBlocked: Bool) {
        self.person = person
        self.blocked = blocked
        self.isBlocked = isBlocked
    }
}

/// Asks the direct conversation of two people to note that one of them blocks the other, or does no longer.
package struct Block: Sendable, Equatable {
    package let person: UUID
    package let blocked: UUID
    package let isBlocked: Bool

    package init(person: UUID, blocked: UUID, isBlocked: Bool) {
        self.person = person
        self.blocked = blocked
        self.isBlocked = isBlocked
    }
}
