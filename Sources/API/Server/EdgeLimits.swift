/// What one connection, and all of them, may take.
package struct EdgeLimits: Sendable {
    package var maxConnections = 10_000
    /// A connection without a request in progress is closed after this.
    package var idleTimeout: Duration = .seconds(60)
    /// A request's body has to be there after this, however it drips in.
    package var bodyDeadline: Duration = .seconds(30)
    /// One header field, and the request's path.
    package var maxHeaderFieldBytes = 8 * 1_024
    package var maxHeaderBytes = 16 * 1_024
    package var maxHeaderFields = 100

    package init() {}
}
