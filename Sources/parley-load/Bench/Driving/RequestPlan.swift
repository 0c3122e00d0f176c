/// What the connections of a run send.
struct RequestPlan: Sendable {
    /// One per connection, in their order.
    let templates: [RequestTemplate]
    /// How many each connection sends in turn; where it is more than one, the first of all connections come first.
    var turns = 1
    /// The statuses that count as done.
    var success = [200]
    /// Every so many requests, whichever connection is next sends this one instead.
    var interruption: (every: Int, template: RequestTemplate)?
    /// One per connection where a run is to end only when the read models have what was sent: a request that waits for
    /// the position that its connection was last answered.
    var projectionRequests: [ProjectionRequest]?

    /// - Parameter turn: how many the connection has sent before.
    func template(connection: Int, number: Int, turn: Int = 0) -> RequestTemplate {
        if let interruption, number % interruption.every == interruption.every - 1 { return interruption.template }
        return templates[turn % turns * (templates.count / turns) + connection]
    }
}
