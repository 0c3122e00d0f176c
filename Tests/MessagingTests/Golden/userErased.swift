import Messaging

extension GoldenEvent {
    static let userErased = [
        GoldenEvent("userErased", 1, in: "user", "always the same", payload: "{}", reads: UserEvent.erased)
    ]
}
