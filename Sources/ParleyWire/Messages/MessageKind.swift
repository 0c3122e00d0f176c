/// What a message is.
public struct MessageKind: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let text = MessageKind(rawValue: "text")
}
