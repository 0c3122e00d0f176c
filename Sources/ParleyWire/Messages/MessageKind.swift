/// What a message is.
public struct MessageKind: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let text = MessageKind(rawValue: "text")
    /// What the history of a group tells by itself, with `data` and without `seq`.
    public static let system = MessageKind(rawValue: "system")
}
