import Messaging

extension GoldenEvent {
    static let groupChanged = version1 + version2

    /// It did not say what was set, so that this is guessed where the key is destroyed.
    private static let version1 = [
        GoldenEvent(
            "groupChanged",
            1,
            "the name",
            .earlier,
            payload: "{}",
            personal: #"{"name":"Trip"}"#,
            reads: changed(GroupChanged(name: .set("Trip")))
        ),
        GoldenEvent(
            "groupChanged",
            1,
            "the name and an icon cleared",
            .earlier,
            payload: #"{"historyVisibility":"joined"}"#,
            personal: #"{"icon":null,"name":"Trip"}"#,
            reads: changed(GroupChanged(name: .set("Trip"), icon: .cleared, historyVisibility: .joined))
        ),
        GoldenEvent(
            "groupChanged",
            1,
            "the rules",
            .earlier,
            payload: #"{"historyVisibility":"all","joinPolicy":"open"}"#,
            reads: changed(GroupChanged(joinPolicy: .open, historyVisibility: .all))
        ),
        GoldenEvent(
            "groupChanged",
            1,
            "without the key, nothing else set",
            .erased,
            payload: "{}",
            reads: changed(GroupChanged(name: .cleared))
        ),
        GoldenEvent(
            "groupChanged",
            1,
            "without the key, something else set",
            .erased,
            payload: #"{"joinPolicy":"open"}"#,
            reads: changed(GroupChanged(joinPolicy: .open))
        ),
    ]

    private static let version2 = [
        GoldenEvent(
            "groupChanged",
            2,
            "the name",
            payload: #"{"setsName":true}"#,
            personal: #"{"name":"Trip"}"#,
            reads: changed(GroupChanged(name: .set("Trip")))
        ),
        GoldenEvent(
            "groupChanged",
            2,
            "everything",
            payload: #"{"historyVisibility":"joined","joinPolicy":"open","setsIcon":true,"setsName":true}"#,
            personal: #"{"icon":"https://x/y.png","name":"Trip"}"#,
            reads: changed(
                GroupChanged(
                    name: .set("Trip"),
                    icon: .set("https://x/y.png"),
                    joinPolicy: .open,
                    historyVisibility: .joined
                )
            )
        ),
        GoldenEvent(
            "groupChanged",
            2,
            "an icon cleared",
            payload: #"{"setsIcon":true}"#,
            personal: #"{"icon":null}"#,
            reads: changed(GroupChanged(icon: .cleared))
        ),
        GoldenEvent(
            "groupChanged",
            2,
            "the rules",
            payload: #"{"historyVisibility":"all","joinPolicy":"invite"}"#,
            reads: changed(GroupChanged(joinPolicy: .invite, historyVisibility: .all))
        ),
        GoldenEvent(
            "groupChanged",
            2,
            "without the key",
            .erased,
            payload: #"{"joinPolicy":"open","setsIcon":true,"setsName":true}"#,
            reads: changed(GroupChanged(name: .cleared, icon: .cleared, joinPolicy: .open))
        ),
        GoldenEvent(
            "groupChanged",
            2,
            "without the key, an icon alone",
            .erased,
            payload: #"{"setsIcon":true}"#,
            reads: changed(GroupChanged(icon: .cleared))
        ),
    ]

    private static func changed(_ changed: GroupChanged) -> ConversationEvent { .groupChanged(changed) }
}
