import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// The connections to one host, at one address where that was vetted.
///
/// Whoever sends over it keeps it alive; when nobody does any more, and it is in no list, its connections are closed.
final class HostConnection: Sendable {
    struct Settings: Sendable {
        let tls: TLSConfiguration
        let maximumConnections: Int
    }

    /// So many requests in a row without an answer: a connection that a firewall has forgotten looks like that for a quarter
    /// of an hour.
    private static let mostTimeouts = 3

    private let client: HTTPClient
    private let timeouts = Mutex(0)

    init(_ host: String, at address: IPAddress?, _ settings: Settings) {
        var configuration = HTTPClient.Configuration(tlsConfiguration: settings.tls, redirectConfiguration: .disallow)
        if let address { configuration.dnsOverride = [host: address.description] }
        configuration.timeout = .init(connect: .seconds(3))
        configuration.connectionPool.idleTimeout = .minutes(10)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.maximumConnections
        // A host that is away is said to be so at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // Does not wait; where it is closed already, nothing is done.
        client.shutdown { _ in }
    }

    func close() async {
        try? await client.shutdown()
    }

    /// Whether it looks as if nothing came through any more.
    var isStale: Bool { timeouts.withLock { $0 >= Self.mostTimeouts } }

    func noteTimeout() { timeouts.withLock { $0 += 1 } }

    func send(
        _ request: OutboundRequest,
        to target: OutboundTarget,
        until deadline: NIODeadline,
        maximumAnswer: Int
    ) async throws -> OutboundResponse {
        // Until the answer has been read.
        defer { withExtendedLifetime(self) {} }
        var outgoing = HTTPClientRequest(url: target.url)
        outgoing.method = request.method
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if !request.body.isEmpty || [.POST, .PUT, .PATCH].contains(request.method) {
            outgoing.body = .bytes(ByteBuffer(bytes: request.body))
        }
        let answer = try await client.execute(outgoing, deadline: deadline)
        timeouts.withLock { $0 = 0 }
        let body = try await answer.body.collect(upTo: maximumAnswer)
        // Where the task is cancelled, a body ends before its end.
        try Task.checkCancellation()
        return OutboundResponse(
            status: Int(answer.status.code),
            headers: answer.headers,
            body: Array(body.readableBytesView)
        )
    }
}
