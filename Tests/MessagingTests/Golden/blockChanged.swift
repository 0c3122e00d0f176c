import Messaging

extension GoldenEvent {
    static let blockChanged = [
        GoldenEvent(
            "blockChanged",
            1,
            "blocked",
            payload: #"{"blocked":"00000000-0000-4000-8000-000000000002","isBlocked":true,"#
                + #""person":"00000000-0000-4000-8000-000000000001"}"#,
            reads: ConversationEvent.blockChanged(BlockChanged(person: ada, blocked: grace, isBlocked: true))
        ),
        GoldenEvent(
            "blockChanged",
            1,
            "taken back",
            payload: #"{"blocked":"00000000-0000-4000-8000-000000000002","isBlocked":false,"#
                + #""person":"00000000-0000-4000-8000-000000000001"}"#,
            reads: ConversationEvent.blockChanged(BlockChanged(person: ada, blocked: grace, isBlocked: false))
        ),
    ]
}
