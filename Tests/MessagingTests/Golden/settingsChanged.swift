import Messaging

extension GoldenEvent {
    static let settingsChanged = [
        GoldenEvent(
            "settingsChanged",
            1,
            in: "user",
            "everything set",
            payload: "{}",
            personal: #"{"displayName":"Ada L.","locale":"en-GB","photoURL":"https://x/y.png","readReceipts":false,"#
                + #""showPresence":false,"timeZone":"Europe/London"}"#,
            reads: UserEvent.profileChanged(
                ProfileChange(
                    displayName: "Ada L.",
                    photoURL: .set("https://x/y.png"),
                    readReceipts: false,
                    showPresence: false,
                    timeZone: .set("Europe/London"),
                    locale: .set("en-GB")
                )
            )
        ),
        GoldenEvent(
            "settingsChanged",
            1,
            in: "user",
            "shown again",
            payload: "{}",
            personal: #"{"showPresence":true}"#,
            reads: UserEvent.profileChanged(ProfileChange(showPresence: true))
        ),
        GoldenEvent(
            "settingsChanged",
            1,
            in: "user",
            "without the key",
            .erased,
            payload: "{}",
            reads: UserEvent.profileChanged(ProfileChange())
        ),
    ]
}
