import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ParleyWire

/// Sends requests to the servers in turn, and again, the same, while they fail.
final class APIClient: Sendable {
    let servers: Servers
    /// How long one request may fail before the run gives up.
    let patience: Duration
    private let http: HTTPClient
    private let limiter: Limiter

    init(servers: Servers, http: HTTPClient, concurrency: Int, patience: Duration) {
        self.servers = servers
        self.http = http
        self.patience = patience
        limiter = Limiter(concurrency)
    }

    /// A client of other servers, over connections of the same pool.
    func reaching(_ servers: Servers, concurrency: Int) -> APIClient {
        APIClient(servers: servers, http: http, concurrency: concurrency, patience: patience)
    }

    /// The configuration that one such client needs: as many connections as requests at once.
    static func configuration(connections: Int) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.httpVersion = .http1Only
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .seconds(2), read: .seconds(30))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(connections, 1)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// The server's final word: anything but "try again".
    ///
    /// - Throws: `APIFailure` when patience ends, `CancellationError`.
    func send(_ request: APIRequest, token: String? = nil) async throws -> APIAnswer {
        let name = "\(request.method.rawValue) \(request.target)"
        var backoff = Backoff(patience: patience)
        var attempts = 0
        while true {
            attempts += 1
            do {
                var answer = try await limiter.run { try await self.attempt(request, token: token) }
                answer.attempts = attempts
                guard answer.status == 429 || answer.status >= 500 else { return answer }
                // A limit is no failure: waiting for it does not use up patience.
                guard answer.status == 429 || !backoff.isExhausted else {
                    throw APIFailure.keepsFailing(request: name, answer: answer.summary)
                }
                try await backoff.wait(atLeast: .seconds(min(answer.retryAfter ?? 0, 10)))
            } catch let failure as APIFailure {
                throw failure
            } catch {
                try Task.checkCancellation()
                guard !backoff.isExhausted else {
                    throw APIFailure.unreachable(request: name, reason: "\(error)")
                }
                try await backoff.wait()
            }
        }
    }

    private func attempt(_ request: APIRequest, token: String?) async throws -> APIAnswer {
        var outgoing = HTTPClientRequest(url: servers.next() + request.target)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        if let token { outgoing.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let waitFor = request.waitFor { outgoing.headers.add(name: ParleyHeader.waitFor, value: waitFor) }
        if let key = request.idempotencyKey {
            outgoing.headers.add(name: ParleyHeader.idempotencyKey, value: key.description)
        }
        if let body = request.body {
            outgoing.headers.add(name: "Content-Type", value: request.contentType)
            outgoing.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await http.execute(outgoing, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 64 << 20)
        return APIAnswer(
            status: Int(response.status.code),
            body: Data(body.readableBytesView),
            position: response.headers.first(name: ParleyHeader.position),
            retryAfter: response.headers.first(name: "Retry-After").flatMap { Int($0) }
        )
    }
}
