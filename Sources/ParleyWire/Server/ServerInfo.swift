/// `GET /v1/server`: what clients never hard-code.
public struct ServerInfo: Codable, Hashable, Sendable {
    public var name: String
    public var version: String
    /// The commit that the server was built from, where it knows.
    public var commit: String?
    public var heartbeatSeconds: Int
    public var limits: ServerLimits
    public var features: [String]
    /// Servers before it was there say nothing.
    public var push: ServerPush?

    public init(
        name: String = "parley",
        version: String,
        commit: String? = nil,
        heartbeatSeconds: Int = 25,
        limits: ServerLimits,
        features: [String],
        push: ServerPush? = ServerPush()
    ) {
        self.name = name
        self.version = version
        self.commit = commit
        self.heartbeatSeconds = heartbeatSeconds
        self.limits = limits
        self.features = features
        self.push = push
    }
}
