import Messaging

extension GoldenEvent {
    static let userDeactivated = [
        GoldenEvent("userDeactivated", 1, in: "user", "always the same", payload: "{}", reads: UserEvent.deactivated)
    ]
}
