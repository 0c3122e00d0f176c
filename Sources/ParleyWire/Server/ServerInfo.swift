/// `GET /v1/server`: what clients never hard-code.
public struct ServerInfo: Codable, Hashable, Sendable {
    public var name: String
    public var version: String
    public var heartbeatSeconds: Int
    public var limits: ServerLimits
    public var features: [String]

    public init(
        name: String = "parley",
        version: String,
        heartbeatSeconds: Int = 25,
        limits: ServerLimits,
        features: [String]
    ) {
        self.name = name
        self.version = version
        self.heartbeatSeconds = heartbeatSeconds
        self.limits = limits
        self.features = features
    }
}
