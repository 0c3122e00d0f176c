/// What one connection, and all of them, may take.
package struct EdgeLimits: Sendable {
    /// Beyond these, connections are closed as soon as they are opened.
    package var maxConnections = 10_000
    /// From one IPv4 address, or the first 64 bits of an IPv6 address; nil for no cap.
    package var maxConnectionsPerAddress: Int? = 1_000
    /// Whether metrics record these connections: those of the clients' port alone, or each would overwrite the other's.
    package var recordsConnections = true
    /// A connection without a request in progress is closed after this.
    package var idleTimeout: Duration = .seconds(60)
    /// A request's head has to be there this long after its first byte, the first one's after the connection's opening.
    package var headerDeadline: Duration = .seconds(10)
    /// A request's body has to be there after this, however it drips in; a streamed one only has to keep up the rate.
    package var bodyDeadline: Duration = .seconds(30)
    /// Bytes per second that a body has to bring in each third of its deadline.
    package var minBodyRate = 500
    /// What the bodies of all requests may take together, and those of one caller a quarter of it.
    package var bodyMemory = 64 << 20
    /// A client that has closed its side may still listen, and gets what is answered so soon. Then reading for it ends.
    package var leavingGrace: Duration = .seconds(2)
    /// An answer that the client does not take for this long is given up with its connection; streams are not.
    package var answerDeadline: Duration = .seconds(60)
    /// Requests that a client may send ahead of their answers. Beyond, it gets these and is then disconnected.
    package var maxPipelinedRequests = 100
    /// One header field, and the request's path.
    package var maxHeaderFieldBytes = 8 * 1_024
    package var maxHeaderBytes = 16 * 1_024
    package var maxHeaderFields = 100

    package init() {}
}
