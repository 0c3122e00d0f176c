import Messaging

extension GoldenEvent {
    static let profileChanged = [
        GoldenEvent(
            "profileChanged",
            1,
            in: "user",
            "everything set",
            payload: "{}",
            personal: #"{"displayName":"Ada L.","locale":"en-GB","photoURL":"https://x/y.png","readReceipts":false,"#
                + #""timeZone":"Europe/London"}"#,
            reads: UserEvent.profileChanged(
                ProfileChange(
                    displayName: "Ada L.",
                    photoURL: .set("https://x/y.png"),
                    readReceipts: false,
                    timeZone: .set("Europe/London"),
                    locale: .set("en-GB")
                )
            )
        ),
        GoldenEvent(
            "profileChanged",
            1,
            in: "user",
            "what can be cleared",
            payload: "{}",
            personal: #"{"locale":null,"photoURL":null,"timeZone":null}"#,
            reads: UserEvent.profileChanged(ProfileChange(photoURL: .cleared, timeZone: .cleared, locale: .cleared))
        ),
        GoldenEvent(
            "profileChanged",
            1,
            in: "user",
            "without the key",
            .erased,
            payload: "{}",
            reads: UserEvent.profileChanged(ProfileChange())
        ),
    ]
}
