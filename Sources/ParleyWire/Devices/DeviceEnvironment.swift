/// Which of Apple's services knows the address.
public struct DeviceEnvironment: OpenEnum {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let production = DeviceEnvironment(rawValue: "production")
    public static let sandbox = DeviceEnvironment(rawValue: "sandbox")
}
