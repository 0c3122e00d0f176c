import NIOCore

/// When each request of an open loop is due, whatever the server does.
struct Schedule: Sendable {
    let start: NIODeadline
    /// Requests per second.
    let rate: Double

    func due(_ number: Int) -> NIODeadline {
        start + .nanoseconds(Int64(Double(number) / rate * 1e9))
    }
}
