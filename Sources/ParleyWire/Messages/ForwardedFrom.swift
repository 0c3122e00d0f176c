/// That a message was not written where it stands. From where and by whom is not told: who reads it there may not be meant to
/// know.
public struct ForwardedFrom: Codable, Hashable, Sendable {
    /// How often it was passed on on its way here.
    public var hops: Int

    public init(hops: Int) {
        self.hops = hops
    }
}
