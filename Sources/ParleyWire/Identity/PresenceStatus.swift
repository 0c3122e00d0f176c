/// Whether a person is there.
public struct PresenceStatus: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let online = PresenceStatus(rawValue: "online")
    public static let away = PresenceStatus(rawValue: "away")
    public static let offline = PresenceStatus(rawValue: "offline")
}
