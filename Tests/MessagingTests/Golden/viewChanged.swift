import Foundation
import Messaging

extension GoldenEvent {
    static let viewChanged = [
        GoldenEvent(
            "viewChanged",
            1,
            in: "views",
            "everything set",
            payload: #"{"archivedSeq":7,"clearedSeq":6,"mutedUntil":1800000000123,"notificationLevel":"mentions","#
                + #""person":"00000000-0000-4000-8000-000000000001","pinnedAt":1700000000456}"#,
            reads: ConversationEvent.viewChanged(
                ViewChanged(
                    person: ada,
                    mutedUntil: .set(Date(timeIntervalSince1970: 1_800_000_000.123)),
                    notificationLevel: .mentions,
                    archivedSeq: .set(7),
                    pinnedAt: .set(Date(timeIntervalSince1970: 1_700_000_000.456)),
                    clearedSeq: 6
                )
            )
        ),
        GoldenEvent(
            "viewChanged",
            1,
            in: "views",
            "everything taken back",
            payload: #"{"archivedSeq":null,"mutedUntil":null,"notificationLevel":"all","#
                + #""person":"00000000-0000-4000-8000-000000000001","pinnedAt":null}"#,
            reads: ConversationEvent.viewChanged(
                ViewChanged(
                    person: ada,
                    mutedUntil: .cleared,
                    notificationLevel: .all,
                    archivedSeq: .cleared,
                    pinnedAt: .cleared
                )
            )
        ),
        GoldenEvent(
            "viewChanged",
            1,
            in: "views",
            "one thing",
            payload: #"{"notificationLevel":"none","person":"00000000-0000-4000-8000-000000000001"}"#,
            reads: ConversationEvent.viewChanged(
                ViewChanged(person: ada, notificationLevel: NotificationLevel.none)
            )
        ),
    ]
}
