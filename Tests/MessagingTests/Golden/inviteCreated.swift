import Foundation
import Messaging

extension GoldenEvent {
    private static let code = "AAAAAAAAQACAAAAAAAAATQABAgMEBQYHCAkKCwwNDg8"

    static let inviteCreated = [
        GoldenEvent(
            "inviteCreated",
            1,
            "with an end",
            payload: #"{"creator":"00000000-0000-4000-8000-000000000001","expiresAt":1800000000123,"#
                + #""invite":"00000000-0000-4000-8000-000000000009","maxUses":5}"#,
            personal: code,
            reads: created(maxUses: 5, expiresAt: Date(timeIntervalSince1970: 1_800_000_000.123), code: code)
        ),
        GoldenEvent(
            "inviteCreated",
            1,
            "without an end",
            payload: #"{"creator":"00000000-0000-4000-8000-000000000001","#
                + #""invite":"00000000-0000-4000-8000-000000000009"}"#,
            personal: code,
            reads: created(code: code)
        ),
        GoldenEvent(
            "inviteCreated",
            1,
            "without the key",
            .erased,
            payload: #"{"creator":"00000000-0000-4000-8000-000000000001","#
                + #""invite":"00000000-0000-4000-8000-000000000009"}"#,
            reads: created(code: nil)
        ),
    ]

    private static func created(maxUses: Int? = nil, expiresAt: Date? = nil, code: String?) -> ConversationEvent {
        .inviteCreated(
            InviteCreated(
                invite: person(9),
                command: person(50),
                creator: ada,
                maxUses: maxUses,
                expiresAt: expiresAt,
                code: code
            )
        )
    }
}
