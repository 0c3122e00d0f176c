import Messaging

extension GoldenEvent {
    static let permissionsChanged = [
        GoldenEvent(
            "permissionsChanged",
            1,
            "everything",
            payload: #"{"addMembers":"everyone","changeInfo":"everyone","pin":"everyone","send":"admins"}"#,
            reads: ConversationEvent.permissionsChanged(
                PermissionsChanged(send: .admins, addMembers: .everyone, changeInfo: .everyone, pin: .everyone)
            )
        ),
        GoldenEvent(
            "permissionsChanged",
            1,
            "one thing",
            payload: #"{"send":"everyone"}"#,
            reads: ConversationEvent.permissionsChanged(PermissionsChanged(send: .everyone))
        ),
    ]
}
