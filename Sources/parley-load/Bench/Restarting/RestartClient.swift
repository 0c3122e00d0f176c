import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ParleyWire

/// A client of several servers, as one behind a proxy: it goes to the next where one does not answer, sends every message until
/// it is acknowledged, says what it has read, and keeps a stream open from where the last one ended.
actor RestartClient {
    private static let pause = Duration.milliseconds(50)
    private static let textLength = 40
    /// No request is tried for longer.
    private static let patience = Duration.seconds(60)

    nonisolated let group: WireID
    private let token: String
    private let http: HTTPClient
    private let addresses: [String]
    private let interval: Duration
    /// Where requests go, and the stream.
    private var place: Int
    private var streamPlace: Int
    private var cursor: String?
    private var newestSeq: Int64 = 0
    private var readSeq: Int64 = 0
    private var isSending = true
    private var brokeAt: ContinuousClock.Instant?
    private(set) var isReady = false
    private(set) var tally = RestartTally()

    init(token: String, group: WireID, addresses: [String], first: Int, interval: Duration, http: HTTPClient) {
        (self.token, self.group, self.addresses) = (token, group, addresses)
        (self.interval, self.http) = (interval, http)
        (place, streamPlace) = (first, first)
    }

    // MARK: Requests

    /// Sends, and says what it has read, until told to stop.
    func send() async throws {
        // Not all in the same moment.
        try await Task.sleep(for: interval * Double.random(in: 0...1))
        while isSending {
            let id = FreshIDs.make()
            let text = SendMessageRequest(text: String(repeating: "x", count: Self.textLength))
            let start = ContinuousClock.now
            try await ask(.PUT, "/v1/conversations/\(group)/messages/\(id)", text, success: [200, 201])
            tally.longestSend = max(tally.longestSend, (ContinuousClock.now - start).seconds)
            tally.acknowledged.insert(id)
            if newestSeq > readSeq {
                readSeq = newestSeq
                let read = ReceiptsRequest(receipts: [.init(conversationId: group, readSeq: readSeq)])
                try await ask(.POST, "/v1/receipts", read, success: [200, 202, 204])
            }
            try await Task.sleep(for: interval)
        }
    }

    func stopSending() { isSending = false }

    /// Asks until it is answered with success: the next server where one refuses or cannot be reached.
    private func ask(_ method: HTTPMethod, _ target: String, _ body: some Encodable, success: Set<Int>) async throws {
        let bytes = ByteBuffer(bytes: try WireJSON.encoder().encode(body))
        let start = ContinuousClock.now
        var attempts = 0
        while true {
            var request = HTTPClientRequest(url: addresses[place] + target)
            request.method = method
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(bytes)
            let refusal: String
            do {
                let response = try await http.execute(request, timeout: .seconds(30))
                _ = try await response.body.collect(upTo: 1 << 20)
                let status = Int(response.status.code)
                if success.contains(status) {
                    tally.requests += 1
                    return
                }
                guard status >= 500 else {
                    throw APIFailure.unexpected(request: "\(method) \(target)", answer: "\(status)")
                }
                refusal = "\(status)"
            } catch let failure as APIFailure {
                throw failure
            } catch {
                try Task.checkCancellation()
                refusal = Self.name(error)
            }
            tally.refusals[refusal, default: 0] += 1
            guard ContinuousClock.now - start < Self.patience else {
                throw APIFailure.keepsFailing(request: "\(method) \(target)", answer: refusal)
            }
            place = (place + 1) % addresses.count
            attempts += 1
            if attempts.isMultiple(of: addresses.count) { try await Task.sleep(for: Self.pause) }
        }
    }

    private static func name(_ error: any Error) -> String {
        guard let error = error as? HTTPClientError else { return "nobody listening" }
        return error == .remoteConnectionClosed ? "connection closed" : "\(error)"
    }

    // MARK: The stream

    /// Follows the stream over all that ends it, until cancelled.
    func listen() async throws {
        while true {
            var wait = Duration.zero
            do {
                wait = try await follow()
            } catch let failure as APIFailure {
                throw failure
            } catch {
                try Task.checkCancellation()
                tally.refusals["stream: \(Self.name(error))", default: 0] += 1
                wait = Self.pause
            }
            if isReady {
                tally.reconnects += 1
                brokeAt = .now
            }
            isReady = false
            streamPlace = (streamPlace + 1) % addresses.count
            try await Task.sleep(for: wait)
        }
    }

    /// One stream to its end.
    ///
    /// - Returns: how long the server asks to wait.
    private func follow() async throws -> Duration {
        var request = HTTPClientRequest(url: addresses[streamPlace] + "/v1/stream")
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: "Accept", value: "text/event-stream")
        if let cursor { request.headers.add(name: ParleyHeader.lastEventID, value: cursor) }
        let response = try await http.execute(request, deadline: .distantFuture)
        guard response.status == .ok else {
            tally.refusals["stream: \(response.status.code)", default: 0] += 1
            return Self.pause
        }
        var parser = EventParser(lastEventID: cursor ?? "")
        var wait = Duration.zero
        for try await chunk in response.body {
            for event in try parser.feed(chunk.readableBytesView) {
                switch try StreamEvent(name: event.name, data: event.data) {
                case .messageCreated(let created) where created.conversationId == group:
                    tally.received[created.message.id, default: 0] += 1
                    newestSeq = max(newestSeq, created.message.seq ?? 0)
                case .ready: becameReady()
                case .reset: tally.resets += 1
                case .goAway(let notice): wait = .milliseconds(min(max(notice.reconnectInMs, 0), 10_000))
                default: break
                }
            }
            if !parser.lastEventID.isEmpty { cursor = parser.lastEventID }
        }
        return wait
    }

    private func becameReady() {
        isReady = true
        guard let since = brokeAt else { return }
        brokeAt = nil
        tally.longestSilence = max(tally.longestSilence, (ContinuousClock.now - since).seconds)
    }
}
