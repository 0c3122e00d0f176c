/// What people do in a walk, of which each has to succeed now and then: a walk in which one never does shows nothing of it.
enum WalkCommand: String, CaseIterable {
    case startGroup, startDirect
    case rename, changeIcon, changeHistoryVisibility, permit, keep, changeJoinPolicy, slowDown, keepShortly
    case addParticipant, changeRole, removeParticipant, leave, join
    case makeInvite, previewInvite, joinByInvite, endInvite
    case changeView, clear, markUnread, advanceReceipts
    case send, sendAgain, sendSeveral, edit, deleteForAll, hide, forward
    case react, unreact, pin, unpin, star, unstar
    case schedule, reschedule, unschedule, sendScheduled
    case block, unblock, report, changeProfile, showReading
    case search, read
}
