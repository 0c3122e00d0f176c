import AsyncHTTPClient
import NIOCore

/// How the connections of streams differ from those of requests.
enum StreamConnections {
    /// A small receive buffer, so that a reader that stalls is felt by the server and not hidden by the kernel; but not
    /// smaller than a few segments of the loopback, which TCP would then send at a crawl.
    private static let receiveBuffer = 256 << 10

    static func configuration(count: Int) -> HTTPClient.Configuration {
        var configuration = APIClient.configuration(connections: count * 2 + 8)
        // Heartbeats come every 25 s: a stream that is silent for longer is dead.
        configuration.timeout.read = .seconds(70)
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.setOption(.socketOption(.so_rcvbuf), value: receiveBuffer)
        }
        return configuration
    }
}
