import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Asks a service that speaks S3, by paths and not by hosts. Whatever it does, there is an end: it may say nothing only for so
/// long, and no answer may take longer than it is waited for, or be larger than was asked for.
final class S3Client: Sendable {
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: ByteBuffer

        /// What S3 calls the reason of a refusal.
        var code: String? {
            String(buffer: body).firstMatch(of: /<Code>([A-Za-z]{1,64})<\/Code>/).map { String($0.1) }
        }

        /// How long the service wants to be left alone.
        fileprivate var retryAfter: Duration? {
            headers.first(name: "retry-after").flatMap { Int32($0) }.map { Duration.seconds(max(0, $0)) }
        }
    }

    /// How long an answer may take in all, its body included.
    enum Patience: Int {
        case answer = 2
        /// For what takes as long as its bytes take.
        case transfer = 8
    }

    private struct TooSlow: Error {}

    private static let attempts = 4
    /// Of the body of a refusal.
    private static let mostRefusal = 16_384

    let bucket: S3Bucket
    private let client: HTTPClient
    private let host: String
    private let base: String

    init(_ bucket: S3Bucket) {
        self.bucket = bucket
        var configuration = HTTPClient.Configuration()
        let patience = TimeAmount(bucket.patience)
        configuration.timeout = .init(connect: min(.seconds(5), patience), read: patience, write: patience)
        // What a service sends on to elsewhere was signed for here.
        configuration.redirectConfiguration = .disallow
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let port = bucket.endpoint.port.map { ":\($0)" } ?? ""
        host = (bucket.endpoint.host ?? "") + port
        base = "\(bucket.endpoint.scheme ?? "https")://\(host)"
    }

    deinit {
        // Does not wait; where it is closed already, nothing is done.
        client.shutdown { _ in }
    }

    func close() async {
        try? await client.shutdown()
    }

    /// Asks until there is an answer that trying again would not change.
    ///
    /// - Parameter limit: of the answer's body, in bytes, where it is no refusal.
    /// - Throws: ``AttachmentError/unavailable``, `CancellationError`.
    func ask(
        _ method: HTTPMethod,
        _ path: String,
        query: [(String, String)] = [],
        more: [(String, String)] = [],
        hash: String = S3Signature.emptyHash,
        _ patience: Patience = .answer,
        upTo limit: Int = 1 << 20,
        body: (@Sendable () -> HTTPClientRequest.Body)? = nil
    ) async throws -> Answer {
        var pause = Duration.milliseconds(200)
        // Whoever waits is told while there is still somebody.
        let end = ContinuousClock.now + bucket.patience * 2
        for attempt in 1...Self.attempts {
            var request = signed(method, path, query, more, hash)
            request.body = body?()
            var wait = pause
            do {
                let answer = try await answer(to: request, within: bucket.patience * patience.rawValue, upTo: limit)
                guard answer.status >= 500 || answer.status == 429 else { return answer }
                wait = max(pause, answer.retryAfter ?? .zero)
            } catch is NIOTooManyBytesError {
                // It would be as much again.
                throw AttachmentError.unavailable
            } catch {
                try Task.checkCancellation()
            }
            guard attempt < Self.attempts, ContinuousClock.now + wait < end else { break }
            try await Task.sleep(for: wait)
            pause *= 3
        }
        throw AttachmentError.unavailable
    }

    private func signed(
        _ method: HTTPMethod,
        _ path: String,
        _ query: [(String, String)],
        _ more: [(String, String)],
        _ hash: String
    ) -> HTTPClientRequest {
        let fields = S3Signature(bucket: bucket).fields(
            method.rawValue,
            host: host,
            path: path,
            query: query,
            more: more,
            hash: hash,
            at: Date()
        )
        let text = query.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        var request = HTTPClientRequest(url: base + path + (text.isEmpty ? "" : "?\(text)"))
        request.method = method
        request.headers = HTTPHeaders(fields)
        return request
    }

    /// The client's own deadline ends with the head of the answer: a body that comes byte by byte would have no end.
    private func answer(
        to request: HTTPClientRequest,
        within time: Duration,
        upTo limit: Int
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { [client] in
                let response = try await client.execute(request, timeout: TimeAmount(time))
                let status = Int(response.status.code)
                var body = ByteBuffer()
                if status < 300 {
                    body = try await response.body.collect(upTo: limit)
                } else if let refusal = try? await response.body.collect(upTo: Self.mostRefusal) {
                    body = refusal
                }
                return Answer(status: status, headers: response.headers, body: body)
            }
            group.addTask {
                try await Task.sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() ?? nil else { throw TooSlow() }
            return answer
        }
    }
}
