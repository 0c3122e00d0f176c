import EventSourcing
import Foundation
import Messaging

/// What members set for themselves while others write.
enum OwnSetting: CaseIterable {
    case receipts, muting, level, archive, pin, clearing, unreadMark, hiding

    /// What a member commands on a message that was just sent.
    ///
    /// - Parameter isOn: takes turns, so that each command changes something.
    func commands(of person: UUID, on sent: MessageSent, isOn: Bool) -> [ConversationCommand] {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let read = ConversationCommand.advanceReceipts([
            ReceiptAdvance(person: person, deliveredSeq: nil, readSeq: sent.seq)
        ])
        switch self {
        case .receipts:
            return [read]
        case .muting:
            let until: Change<Date> = isOn ? .set(now + 3_600) : .cleared
            return [.changeView(ChangeView(person: person, mutedUntil: until, now: now))]
        case .level:
            let level = isOn ? NotificationLevel.mentions : .all
            return [.changeView(ChangeView(person: person, notificationLevel: level, now: now))]
        case .archive:
            return [.changeView(ChangeView(person: person, archived: isOn, now: now))]
        case .pin:
            return [.changeView(ChangeView(person: person, pinned: isOn, now: now))]
        case .clearing:
            return [.changeView(ChangeView(person: person, clears: true, now: now))]
        case .unreadMark:
            return [read, .markUnread(MarkUnread(person: person, fromSeq: sent.seq))]
        case .hiding:
            return [.hideMessage(HideMessage(person: person, messageID: sent.messageID, seq: sent.seq))]
        }
    }
}
