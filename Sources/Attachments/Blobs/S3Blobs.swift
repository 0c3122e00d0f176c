import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import ParleyWire

/// Keeps blobs in a bucket of a service that speaks S3: one PUT for each, with the SHA-256 of what is sent. What the service says
/// is not believed where it can be looked at.
struct S3Blobs: BlobStore {
    let place = BlobPlace.s3
    let chunksAtOnce = 16

    private static let piece = 1 << 20

    private let client: S3Client
    private let bucket: S3Bucket

    init(_ bucket: S3Bucket) {
        self.bucket = bucket
        client = S3Client(bucket)
    }

    func close() async {
        await client.close()
    }

    private var bucketPath: String { "/\(S3Signature.encoded(bucket.name))" }

    private func path(of name: BlobName) -> String {
        "\(bucketPath)/\(S3Signature.encoded(bucket.prefix + name.path, keepingSlashes: true))"
    }

    // MARK: Writing

    func put(_ files: [AttachmentLinks.Size: DiskFile], as id: UUID) async throws {
        for (size, file) in files { try await put(file.path, as: BlobName(id, size)) }
    }

    private func put(_ file: String, as name: BlobName) async throws {
        guard let size = try await Disk.size(of: file) else { throw BlobMissing() }
        let hash = try await Self.hash(of: file, size: size)
        let answer = try await client.ask(
            .PUT,
            path(of: name),
            more: [
                ("x-amz-checksum-sha256", Data(hash).base64EncodedString()), ("x-amz-sdk-checksum-algorithm", "SHA256"),
            ],
            hash: S3Signature.hex(hash),
            .transfer
        ) {
            .stream(FilePieces(path: file, size: size), length: .known(Int64(size)))
        }
        // A service that says that it has kept it, and has not, or other bytes, is found out before anybody is told so.
        guard answer.status == 200, try await keeps(hash, size: size, as: name) else {
            throw AttachmentError.unavailable
        }
        try await Disk.remove(file)
    }

    private static func hash(of file: String, size: Int) async throws -> SHA256Digest {
        var hash = SHA256()
        for try await piece in FilePieces(path: file, size: size) {
            piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        }
        return hash.finalize()
    }

    /// Whether it is there with these bytes: by the checksum that the service has of what it keeps, or else by what it gives.
    private func keeps(_ hash: SHA256Digest, size: Int, as name: BlobName) async throws -> Bool {
        let answer = try await client.ask(.HEAD, path(of: name), more: [("x-amz-checksum-mode", "ENABLED")])
        guard try Self.size(answer) == size else { return false }
        if let checksum = answer.headers.first(name: "x-amz-checksum-sha256") {
            return checksum == Data(hash).base64EncodedString()
        }
        var kept = SHA256()
        do {
            for start in stride(from: 0, to: size, by: Self.piece) {
                kept.update(data: try await read(name, start..<min(size, start + Self.piece)))
            }
        } catch is BlobMissing {
            return false
        }
        return kept.finalize() == hash
    }

    func remove(_ name: BlobName) async throws {
        let answer = try await client.ask(.DELETE, path(of: name))
        guard [200, 204, 404].contains(answer.status) else { throw AttachmentError.unavailable }
    }

    // MARK: Reading

    func read(_ name: BlobName, _ range: Range<Int>) async throws -> Data {
        let bytes = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        let answer = try await client.ask(
            .GET,
            path(of: name),
            more: [("range", bytes)],
            .transfer,
            upTo: range.count
        )
        switch answer.status {
        // Whoever does not know ranges sends all, which is too much here, and is refused above.
        case 200, 206:
            guard answer.body.readableBytes == range.count else { throw BlobMissing() }
            return Data(answer.body.readableBytesView)
        case 404, 416: throw BlobMissing()
        default: throw AttachmentError.unavailable
        }
    }

    func size(of name: BlobName) async throws -> Int? {
        try Self.size(try await client.ask(.HEAD, path(of: name)))
    }

    private static func size(_ answer: S3Client.Answer) throws -> Int? {
        if answer.status == 404 { return nil }
        guard answer.status == 200, let length = answer.headers.first(name: "content-length").flatMap({ Int($0) })
        else {
            throw AttachmentError.unavailable
        }
        return length
    }

    func list(after path: String?) async throws -> [String] {
        var query = [("list-type", "2"), ("max-keys", "500")]
        if !bucket.prefix.isEmpty { query.append(("prefix", S3Signature.encoded(bucket.prefix))) }
        if let path { query.append(("start-after", S3Signature.encoded(bucket.prefix + path))) }
        let answer = try await client.ask(.GET, bucketPath, query: query.sorted { $0.0 < $1.0 })
        guard answer.status == 200 else { throw AttachmentError.unavailable }
        let paths = String(buffer: answer.body).matches(of: /<Key>([^<]*)<\/Key>/).compactMap { match in
            let key = Self.unescaped(match.1)
            return key.hasPrefix(bucket.prefix) ? String(key.dropFirst(bucket.prefix.count)) : nil
        }
        // Whoever tells the same again and again would be asked forever.
        if let path, paths.contains(where: { !path.utf8.lexicographicallyPrecedes($0.utf8) }) {
            throw AttachmentError.unavailable
        }
        return paths
    }

    /// What others have put into the bucket may be called anything.
    private static func unescaped(_ text: Substring) -> String {
        var text = String(text)
        for (name, character) in [("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("amp", "&")] {
            text = text.replacing("&\(name);", with: character)
        }
        return text
    }

    /// Says what the service calls its reason: keys that hold no longer, another region, and much that is alike.
    func trouble() async -> String? {
        let query = [("list-type", "2"), ("max-keys", "1")]
        guard let answer = try? await client.ask(.GET, bucketPath, query: query) else {
            return "the bucket of attachments does not answer"
        }
        guard answer.status != 200 else { return nil }
        return "the bucket of attachments answers \(answer.status) \(answer.code ?? "")"
            .trimmingCharacters(in: .whitespaces)
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
