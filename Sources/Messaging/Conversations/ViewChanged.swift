package import Foundation

/// A member sees the conversation in another way: the fields that changed, absolute, so that of two changes at once each
/// field has the later one.
package struct ViewChanged: Sendable, Equatable {
    package let person: UUID
    package let mutedUntil: Change<Date>
    package let notificationLevel: NotificationLevel?
    package let archivedSeq: Change<Int64>
    package let pinnedAt: Change<Date>
    package let clearedSeq: Int64?

    package init(
        person: UUID,
        mutedUntil: Change<Date> = .unchanged,
        notificationLevel: NotificationLevel? = nil,
        archivedSeq: Change<Int64> = .unchanged,
        pinnedAt: Change<Date> = .unchanged,
        clearedSeq: Int64? = nil
    ) {
        self.person = person
        self.mutedUntil = mutedUntil
        self.notificationLevel = notificationLevel
        self.archivedSeq = archivedSeq
        self.pinnedAt = pinnedAt
        self.clearedSeq = clearedSeq
    }

    /// What makes one view of the other.
    init(of person: UUID, from old: MemberView, to new: MemberView) {
        self.init(
            person: person,
            mutedUntil: Change(from: old.mutedUntil, to: new.mutedUntil),
            notificationLevel: old.notificationLevel == new.notificationLevel ? nil : new.notificationLevel ?? .all,
            archivedSeq: Change(from: old.archivedSeq, to: new.archivedSeq),
            pinnedAt: Change(from: old.pinnedAt, to: new.pinnedAt),
            clearedSeq: old.clearedSeq == new.clearedSeq ? nil : new.clearedSeq
        )
    }
}

extension ViewChanged: Codable {
    private enum CodingKeys: String, CodingKey {
        case person, mutedUntil, notificationLevel, archivedSeq, pinnedAt, clearedSeq
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            person: try container.decode(UUID.self, forKey: .person),
            mutedUntil: try container.decodeChange(Date.self, forKey: .mutedUntil),
            notificationLevel: try container.decodeIfPresent(NotificationLevel.self, forKey: .notificationLevel),
            archivedSeq: try container.decodeChange(Int64.self, forKey: .archivedSeq),
            pinnedAt: try container.decodeChange(Date.self, forKey: .pinnedAt),
            clearedSeq: try container.decodeIfPresent(Int64.self, forKey: .clearedSeq)
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(person, forKey: .person)
        try container.encode(mutedUntil, forKey: .mutedUntil)
        try container.encodeIfPresent(notificationLevel, forKey: .notificationLevel)
        try container.encode(archivedSeq, forKey: .archivedSeq)
        try container.encode(pinnedAt, forKey: .pinnedAt)
        try container.encodeIfPresent(clearedSeq, forKey: .clearedSeq)
    }
}

/// A member wants to see what comes after a message as unread again. What others were shown of the member's reading stays.
package struct MarkedUnread: Sendable, Equatable, Codable {
    package let person: UUID
    /// The member's mark goes back to here, and no further than where the membership began.
    package let readSeq: Int64

    package init(person: UUID, readSeq: Int64) {
        self.person = person
        self.readSeq = readSeq
    }
}
