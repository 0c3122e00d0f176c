import Messaging

extension GoldenEvent {
    static let roleChanged = [
        GoldenEvent(
            "roleChanged",
            1,
            "a new owner",
            payload: #"{"person":"00000000-0000-4000-8000-000000000001","role":"owner"}"#,
            reads: ConversationEvent.roleChanged(RoleChanged(person: ada, role: .owner))
        )
    ]
}
