import Messaging

extension GoldenEvent {
    static let inviteUsed = [
        GoldenEvent(
            "inviteUsed",
            1,
            "by somebody",
            payload: #"{"invite":"00000000-0000-4000-8000-000000000009","#
                + #""person":"00000000-0000-4000-8000-000000000002"}"#,
            reads: ConversationEvent.inviteUsed(InviteUsed(invite: person(9), person: grace))
        )
    ]
}
