import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1

/// Keeps blobs in a bucket of a service that speaks S3: one PUT for each, with the SHA-256 of what is sent, by paths and not by
/// hosts.
final class S3Blobs: BlobStore {
    let place = BlobPlace.s3
    let chunksAtOnce = 16

    private static let attempts = 4
    private static let timeout = TimeAmount.seconds(30)
    /// For what takes as long as its bytes take.
    private static let transferTimeout = TimeAmount.seconds(120)

    private let bucket: S3Bucket
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

    private func path(of name: BlobName) -> String {
        let key = bucket.prefix + name.path
        return "/\(S3Signature.encoded(bucket.name))/\(S3Signature.encoded(key, keepingSlashes: true))"
    }

    // MARK: Requests

    private struct Answer {
        let status: Int
        let headers: HTTPHeaders
        let body: ByteBuffer
    }

    private struct Refused: Error {
        let status: Int
    }

    /// Asks until there is an answer that trying again would not change.
    private func ask(
        _ method: HTTPMethod,
        _ path: String,
        query: [(String, String)] = [],
        more: [(String, String)] = [],
        hash: String = S3Signature.emptyHash,
        timeout: TimeAmount = S3Blobs.timeout,
        upTo limit: Int = 1 << 20,
        body: (@Sendable () -> HTTPClientRequest.Body)? = nil
    ) async throws -> Answer {
        var pause = Duration.milliseconds(200)
        // Whoever waits is told while there is still somebody.
        let end = ContinuousClock.now + bucket.patience * 2
        for attempt in 1... {
            let isLast = { attempt == Self.attempts || ContinuousClock.now >= end }
            do {
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
                request.body = body?()
                let response = try await client.execute(request, timeout: timeout)
                let status = Int(response.status.code)
                let body = try await response.body.collect(upTo: limit)
                guard status >= 500 || status == 429 else {
                    return Answer(status: status, headers: response.headers, body: body)
                }
                if isLast() { throw AttachmentError.unavailable }
            } catch {
                try Task.checkCancellation()
                if isLast() { throw AttachmentError.unavailable }
            }
            try await Task.sleep(for: pause)
            pause *= 3
        }
        throw AttachmentError.unavailable
    }

    // MARK: Blobs

    func put(_ file: String, as name: BlobName) async throws {
        guard let size = try await Disk.size(of: file) else { throw BlobMissing() }
        let hash = try await Self.hash(of: file, size: size)
        let answer = try await ask(.PUT, path(of: name), hash: hash, timeout: Self.transferTimeout) {
            .stream(FilePieces(path: file, size: size), length: .known(Int64(size)))
        }
        guard answer.status == 200 else { throw AttachmentError.unavailable }
        // A service that says it has kept it, and has not, is found out before anybody is told so.
        guard try await self.size(of: name) == size else { throw AttachmentError.unavailable }
        try await Disk.remove(file)
    }

    private static func hash(of file: String, size: Int) async throws -> String {
        var hash = SHA256()
        for try await piece in FilePieces(path: file, size: size) {
            piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        }
        return S3Signature.hex(hash.finalize())
    }

    func read(_ name: BlobName, _ range: Range<Int>) async throws -> Data {
        let bytes = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        let answer = try await ask(
            .GET,
            path(of: name),
            more: [("range", bytes)],
            timeout: Self.transferTimeout,
            upTo: range.count + 1
        )
        if answer.status == 404 { throw BlobMissing() }
        // Whoever does not know ranges sends all, which is too much here, and is refused above.
        guard answer.status == 206 || answer.status == 200, answer.body.readableBytes == range.count else {
            throw AttachmentError.unavailable
        }
        return Data(answer.body.readableBytesView)
    }

    func size(of name: BlobName) async throws -> Int? {
        let answer = try await ask(.HEAD, path(of: name))
        if answer.status == 404 { return nil }
        guard answer.status == 200, let length = answer.headers.first(name: "content-length").flatMap({ Int($0) })
        else {
            throw AttachmentError.unavailable
        }
        return length
    }

    func remove(_ name: BlobName) async throws {
        let answer = try await ask(.DELETE, path(of: name))
        guard [200, 204, 404].contains(answer.status) else { throw AttachmentError.unavailable }
    }

    func list(after name: BlobName?) async throws -> [BlobName] {
        var query = [("list-type", "2"), ("max-keys", "500")]
        if !bucket.prefix.isEmpty { query.append(("prefix", S3Signature.encoded(bucket.prefix))) }
        if let name { query.append(("start-after", S3Signature.encoded(bucket.prefix + name.path))) }
        let answer = try await ask(
            .GET,
            "/\(S3Signature.encoded(bucket.name))",
            query: query.sorted { $0.0 < $1.0 }
        )
        guard answer.status == 200 else { throw AttachmentError.unavailable }
        return String(buffer: answer.body).matches(of: /<Key>([^<]*)<\/Key>/).compactMap { match in
            let key = String(match.1)
            return key.hasPrefix(bucket.prefix) ? BlobName(path: String(key.dropFirst(bucket.prefix.count))) : nil
        }
    }

    func trouble() async -> String? {
        let query = [("list-type", "2"), ("max-keys", "1")]
        let answer = try? await ask(.GET, "/\(S3Signature.encoded(bucket.name))", query: query)
        return answer?.status == 200 ? nil : "the bucket of attachments does not answer"
    }
}

/// A file, piece by piece.
private struct FilePieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    static let piece = 256 * 1_024
    let path: String
    let size: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        let file: FilePieces
        var place = 0

        mutating func next() async throws -> ByteBuffer? {
            guard place < file.size else { return nil }
            let end = Swift.min(place + FilePieces.piece, file.size)
            let data = try await Disk.read(file.path, place..<end)
            place = end
            return ByteBuffer(bytes: data)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: self) }
}
