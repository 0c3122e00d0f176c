import Messaging

extension GoldenEvent {
    static let userReactivated = [
        GoldenEvent("userReactivated", 1, in: "user", "always the same", payload: "{}", reads: UserEvent.reactivated)
    ]
}
