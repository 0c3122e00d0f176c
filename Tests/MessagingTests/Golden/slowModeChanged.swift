import Messaging

extension GoldenEvent {
    static let slowModeChanged = [
        GoldenEvent(
            "slowModeChanged",
            1,
            "to a minute",
            payload: #"{"seconds":60}"#,
            reads: ConversationEvent.slowModeChanged(SlowModeChanged(seconds: 60))
        ),
        GoldenEvent(
            "slowModeChanged",
            1,
            "to no limit",
            payload: "{}",
            reads: ConversationEvent.slowModeChanged(SlowModeChanged(seconds: nil))
        ),
    ]
}
