import Foundation
import Messaging

/// What a batch changes of the columns that hold a member's view of a conversation.
struct ViewColumns {
    private(set) var mutedUntil = Change<Date>.unchanged
    private(set) var notificationLevel = Change<String>.unchanged
    private(set) var archivedSeq = Change<Int64>.unchanged
    private(set) var pinnedAt = Change<Date>.unchanged
    private(set) var clearedSeq = Change<Int64>.unchanged
    private(set) var unreadAfter = Change<Int64>.unchanged
    /// The newest message that the member has hidden, and when.
    private(set) var hidden = Change<Hidden>.unchanged

    struct Hidden: Codable, Equatable, Sendable {
        let seq: Int64
        let at: Date
    }

    /// Everything as it was at joining.
    static let cleared: ViewColumns = {
        var columns = ViewColumns()
        columns.mutedUntil = .cleared
        columns.notificationLevel = .cleared
        columns.archivedSeq = .cleared
        columns.pinnedAt = .cleared
        columns.clearedSeq = .cleared
        columns.unreadAfter = .cleared
        columns.hidden = .cleared
        return columns
    }()

    var isChanged: Bool {
        mutedUntil != .unchanged || notificationLevel != .unchanged || archivedSeq != .unchanged
            || pinnedAt != .unchanged || clearedSeq != .unchanged || unreadAfter != .unchanged || hidden != .unchanged
    }

    mutating func apply(_ changed: ViewChanged) {
        if changed.mutedUntil != .unchanged { mutedUntil = changed.mutedUntil }
        if let level = changed.notificationLevel { notificationLevel = level == .all ? .cleared : .set(level.rawValue) }
        if changed.archivedSeq != .unchanged { archivedSeq = changed.archivedSeq }
        if changed.pinnedAt != .unchanged { pinnedAt = changed.pinnedAt }
        if let seq = changed.clearedSeq { clearedSeq = .set(seq) }
    }

    mutating func apply(_ marked: MarkedUnread) {
        unreadAfter = .set(marked.readSeq)
    }

    mutating func hide(_ seq: Int64, at time: Date) {
        if let known = hidden.newValue, known.seq >= seq { return }
        hidden = .set(Hidden(seq: seq, at: time))
    }

    /// What is left of it when the membership ends: what was hidden stays hidden, from former members and who comes back.
    var ofFormerMember: ViewColumns {
        var columns = ViewColumns()
        columns.hidden = hidden
        return columns
    }
}
