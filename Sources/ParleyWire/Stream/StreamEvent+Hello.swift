public import Foundation

extension StreamEvent {
    /// The first event of a connection.
    public struct Hello: Codable, Hashable, Sendable {
        public var resumed: Bool
        public var heartbeatSeconds: Int
        public var serverTime: Date

        public init(resumed: Bool, heartbeatSeconds: Int, serverTime: Date) {
            self.resumed = resumed
            self.heartbeatSeconds = heartbeatSeconds
            self.serverTime = serverTime
        }
    }
}
