import EventSourcing
import Foundation

extension ConversationDecider {
    /// How far back what was read can become unread again: it is counted anew.
    package static let maxMarkedUnread: Int64 = 10_000

    static func changeView(
        _ change: ChangeView,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        let member = try conversation.member(change.person, allowedTo: .changeView)
        let old = member.view ?? MemberView()
        var new = old
        try new.mute(change, headSeq: conversation.headSeq)
        if let level = change.notificationLevel { new.notificationLevel = level == .all ? nil : level }
        if let archived = change.archived { new.archivedSeq = archived ? conversation.headSeq : nil }
        if let pinned = change.pinned { new.pinnedAt = pinned ? old.pinnedAt ?? change.now : nil }
        if change.clears {
            new.clearedSeq = conversation.headSeq
            new.archivedSeq = nil
            new.pinnedAt = nil
        }
        return new == old ? [] : [.viewChanged(ViewChanged(of: change.person, from: old, to: new))]
    }

    static func markUnread(
        _ mark: MarkUnread,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        let member = try conversation.member(mark.person, allowedTo: .changeView)
        let oldest = max(member.fromSeq, conversation.headSeq - maxMarkedUnread) + 1
        guard oldest <= mark.fromSeq, mark.fromSeq <= conversation.headSeq else { throw .notToBeUnread }
        // Shown as unread until the mark moves forward from where it is then: it may be farther back already.
        let seq = min(mark.fromSeq - 1, member.readSeq)
        // What is unread and shows so stays as it is.
        if member.readSeq <= seq, let marked = member.view?.unreadAfter, member.readSeq <= marked { return [] }
        return [.markedUnread(MarkedUnread(person: mark.person, readSeq: seq))]
    }

    /// What was hidden before, and what is not to be seen, is not for the state of a conversation to know: whoever gives
    /// the command has looked.
    static func hideMessage(
        _ hide: HideMessage,
        given conversation: Conversation
    ) throws(ConversationRejection) -> [ConversationEvent] {
        _ = try conversation.member(hide.person, allowedTo: .changeView)
        guard hide.seq <= conversation.headSeq else { throw .messageNotFound }
        return [.messageHidden(MessageHidden(person: hide.person, messageID: hide.messageID, seq: hide.seq))]
    }
}

extension MemberView {
    fileprivate mutating func mute(_ change: ChangeView, headSeq: Int64) throws(ConversationRejection) {
        guard change.mutedUntil != .unchanged else { return }
        // Whether messages have taken it out of the archive depended on the muting until now, and stays as it is.
        if let seq = archivedSeq, headSeq > seq {
            archivedSeq = try wasMuted(when: headSeq, change) ? headSeq : nil
        }
        mutedUntil = change.mutedUntil.newValue.flatMap { $0 > change.now ? $0 : nil }
    }

    /// Whether it was muted when its newest message came, of which the state does not know the time.
    private func wasMuted(when headSeq: Int64, _ change: ChangeView) throws(ConversationRejection) -> Bool {
        guard let mutedUntil else { return false }
        if mutedUntil > change.now { return true }
        guard let newest = change.newest, newest.seq == headSeq else { throw .staleFacts }
        return newest.at < mutedUntil
    }
}

extension Conversation {
    mutating func apply(_ changed: ViewChanged) {
        guard var member = members[changed.person] else { return }
        var view = member.view ?? MemberView()
        view.apply(changed)
        member.view = view.isDefault ? nil : view
        members[changed.person] = member
    }

    mutating func apply(_ marked: MarkedUnread) {
        guard var member = members[marked.person] else { return }
        let readSeq = max(member.fromSeq, min(member.readSeq, marked.readSeq))
        if readSeq < member.readSeq {
            member.readSeq = readSeq
            // Which of those that are unread again are the member's own is for the log to tell.
            if readSeq < headSeq { member.ownMessages = .uncounted }
        }
        var view = member.view ?? MemberView()
        view.unreadAfter = marked.readSeq
        member.view = view
        members[marked.person] = member
    }
}

extension Conversation.Member {
    /// Reading on ends what was marked unread.
    mutating func forgetUnreadMark() {
        guard let marked = view?.unreadAfter, readSeq > marked else { return }
        view?.unreadAfter = nil
        if view?.isDefault == true { view = nil }
    }
}
