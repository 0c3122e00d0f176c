import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ParleyWire

/// A stream of a benchmark: no reducer, only the clock.
struct BenchReader: Sendable {
    let client: APIClient
    let http: HTTPClient
    let account: Account

    struct Resumed: Sendable {
        let duration: Duration
        let messages: Int
        let cursor: String
    }

    /// Opens a stream from now on, and returns once it is ready.
    func open(
        onMessage: @escaping @Sendable (WireID, ContinuousClock.Instant) -> Void
    ) async throws -> Task<Void, any Error> {
        let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { isReady.finish() }
            try await read(from: nil) { event, now in
                switch event {
                case .ready: isReady.finish()
                case .messageCreated(let created): onMessage(created.message.id, now)
                default: break
                }
                return true
            }
        }
        for await _ in ready {}
        return task
    }

    /// Goes on from a cursor, and measures until all that was missed has come.
    func resume(from cursor: String?) async throws -> Resumed {
        let started = ContinuousClock.now
        var messages = 0
        var finished = started
        let end = try await read(from: cursor) { event, now in
            if case .messageCreated = event { messages += 1 }
            guard case .ready = event else { return true }
            finished = now
            return false
        }
        return Resumed(duration: finished - started, messages: messages, cursor: end)
    }

    /// Reads until the body says that it is enough; returns the last cursor.
    @discardableResult
    private func read(
        from cursor: String?,
        _ body: (StreamEvent, ContinuousClock.Instant) -> Bool
    ) async throws -> String {
        var request = HTTPClientRequest(url: client.servers.next() + "/v1/stream")
        request.headers.add(name: "Authorization", value: "Bearer \(try await account.accessToken())")
        request.headers.add(name: "Accept", value: "text/event-stream")
        if let cursor { request.headers.add(name: ParleyHeader.lastEventID, value: cursor) }
        let response = try await http.execute(request, deadline: .distantFuture)
        guard response.status == .ok else {
            throw APIFailure.unexpected(request: "stream", answer: "\(response.status.code)")
        }
        var parser = EventParser()
        for try await chunk in response.body {
            let now = ContinuousClock.now
            for raw in try parser.feed(chunk.readableBytesView) {
                let event = try StreamEvent(name: raw.name, data: raw.data)
                guard body(event, now) else { return parser.lastEventID }
            }
        }
        return parser.lastEventID
    }
}
