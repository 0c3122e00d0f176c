import Messaging

extension GoldenEvent {
    static let userRegistered = [
        GoldenEvent(
            "userRegistered",
            1,
            in: "user",
            "with a name",
            payload: "{}",
            personal: #"{"displayName":"Ada"}"#,
            reads: UserEvent.registered(displayName: "Ada")
        ),
        GoldenEvent(
            "userRegistered",
            1,
            in: "user",
            "without a name",
            payload: "{}",
            personal: "{}",
            reads: UserEvent.registered(displayName: nil)
        ),
        GoldenEvent(
            "userRegistered",
            1,
            in: "user",
            "without the key",
            .erased,
            payload: "{}",
            reads: UserEvent.registered(displayName: nil)
        ),
    ]
}
