import Messaging

extension GoldenEvent {
    static let conversationStarted = [
        GoldenEvent(
            "conversationStarted",
            1,
            "a direct conversation",
            payload: #"{"historyVisibility":"all","joinPolicy":"invite","kind":"direct","members":["#
                + #"{"id":"00000000-0000-4000-8000-000000000001","role":"member"},"#
                + #"{"id":"00000000-0000-4000-8000-000000000002","role":"member"}]}"#,
            reads: ConversationEvent.started(
                ConversationStarted(
                    kind: .direct,
                    members: [.init(id: ada, role: .member), .init(id: grace, role: .member)]
                )
            )
        ),
        GoldenEvent(
            "conversationStarted",
            1,
            "a group",
            payload: group,
            personal: #"{"name":"Trip"}"#,
            reads: started(name: "Trip")
        ),
        GoldenEvent(
            "conversationStarted",
            1,
            "a group with an icon",
            payload: group,
            personal: #"{"icon":"https://x/\#u{1F3D4}.png","name":"\"Trip\" \#u{1F3D4}"}"#,
            reads: started(name: "\"Trip\" \u{1F3D4}", icon: "https://x/\u{1F3D4}.png")
        ),
        GoldenEvent(
            "conversationStarted",
            1,
            "a group without its starter's key",
            .erased,
            payload: group,
            reads: started()
        ),
    ]

    private static let group =
        #"{"historyVisibility":"joined","joinPolicy":"open","kind":"group","members":["#
        + #"{"id":"00000000-0000-4000-8000-000000000001","role":"owner"},"#
        + #"{"id":"00000000-0000-4000-8000-000000000002","role":"admin"}]}"#

    private static func started(name: String? = nil, icon: String? = nil) -> ConversationEvent {
        .started(
            ConversationStarted(
                kind: .group,
                members: [.init(id: ada, role: .owner), .init(id: grace, role: .admin)],
                joinPolicy: .open,
                historyVisibility: .joined,
                name: name,
                icon: icon
            )
        )
    }
}
