import Messaging

extension GoldenEvent {
    static let invitesEnded = [
        GoldenEvent(
            "invitesEnded",
            1,
            "two",
            payload: #"{"invites":["00000000-0000-4000-8000-000000000008","00000000-0000-4000-8000-000000000009"]}"#,
            reads: ConversationEvent.invitesEnded(InvitesEnded(invites: [person(8), person(9)]))
        )
    ]
}
