import Crypto
import Foundation
import ParleyWire
import Synchronization
import TestSupport
import Testing

@testable import Attachments

/// What a service that speaks S3 may do in place of what it should: each has an end, and none is believed.
@Suite(.timeLimit(.minutes(2))) struct `A bucket` {
    typealias Answer = WebTestServer.Answer

    private static let bytes = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
    private static let name = BlobName(UUID(), .full)
    private static let checksum = Data(SHA256.hash(data: bytes)).base64EncodedString()

    private static func with(
        patience: Duration = .seconds(15),
        answer: @escaping @Sendable (WebTestServer.Request) -> Answer,
        _ body: (S3Blobs, WebTestServer) async throws -> Void
    ) async throws {
        try await WebTestServer.with(answer: answer) { server in
            var bucket = S3Bucket(
                endpoint: try #require(URL(string: "http://127.0.0.1:\(server.port)")),
                name: "files",
                region: "x",
                accessKey: "key",
                secretKey: "secret"
            )
            bucket.patience = patience
            let blobs = S3Blobs(bucket)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(blobs, server))
            } catch {
                result = .failure(error)
            }
            await blobs.close()
            try result.get()
        }
    }

    /// Has a file kept, which goes only when it is.
    private static func put(_ blobs: S3Blobs) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("blob-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try await DiskFile.create(path)
        try await file.append(bytes)
        do {
            try await blobs.put([name.size: file], as: name.id)
        } catch {
            #expect(FileManager.default.fileExists(atPath: path))
            throw error
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// Everything that is asked of one.
    private static func refuses(_ blobs: S3Blobs) async {
        await #expect(throws: AttachmentError.unavailable) { try await put(blobs) }
        await #expect(throws: AttachmentError.unavailable) { try await blobs.read(name, 0..<1_000) }
        await #expect(throws: AttachmentError.unavailable) { try await blobs.size(of: name) }
        await #expect(throws: AttachmentError.unavailable) { try await blobs.remove(name) }
        await #expect(throws: AttachmentError.unavailable) { try await blobs.list(after: nil) }
    }

    // MARK: Gone

    @Test(arguments: [Answer.silence, .hangUp])
    func `that never answers, or closes the connection, is not waited for long`(answer: Answer) async throws {
        try await Self.with(patience: .milliseconds(100)) { _ in
            answer
        } _: { blobs, _ in
            await Self.refuses(blobs)
            #expect(await blobs.trouble() == "the bucket of attachments does not answer")
        }
    }

    @Test func `whose answers come byte by byte is not waited for until they are whole`() async throws {
        try await Self.with(patience: .milliseconds(200)) { _ in
            .drip(status: 200, length: 500_000, every: .milliseconds(10))
        } _: { blobs, _ in
            await #expect(throws: AttachmentError.unavailable) { try await blobs.read(Self.name, 0..<500_000) }
            await #expect(throws: AttachmentError.unavailable) { try await blobs.list(after: nil) }
        }
    }

    @Test func `that goes in the middle of an answer is asked again`() async throws {
        let asked = Mutex(0)
        try await Self.with { _ in
            let number = asked.withLock { count in
                count += 1
                return count
            }
            return number == 1
                ? .breakOff(status: 206, body: Array("0123".utf8)) : .answer(status: 206, body: Array("01234".utf8))
        } _: { blobs, server in
            let read = try await blobs.read(Self.name, 0..<5)
            #expect(read == Data("01234".utf8))
            #expect(server.requests.count == 2)
        }
    }

    @Test func `that closes the connection in the middle of what it is given is given it again`() async throws {
        let asked = Mutex(0)
        try await Self.with { request in
            guard request.method == "PUT" else {
                let headers = [("x-amz-checksum-sha256", Self.checksum)]
                return .answer(status: 200, headers: headers, body: Array(Self.bytes))
            }
            let isFirst = asked.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? .hangUp : .answer(status: 200)
        } _: { blobs, server in
            try await Self.put(blobs)
            let puts = server.requests.filter { $0.method == "PUT" }
            #expect(puts.count == 2 && puts.allSatisfy { Data($0.body) == Self.bytes })
        }
    }

    // MARK: Refusing

    @Test func `that wants to be left alone is, for as long as it says`() async throws {
        let asked = Mutex(0)
        try await Self.with { _ in
            let isFirst = asked.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst
                ? .answer(status: 503, headers: [("Retry-After", "1")], body: Array("<Code>SlowDown</Code>".utf8))
                : .answer(status: 200)
        } _: { blobs, server in
            let start = ContinuousClock.now
            try await blobs.remove(Self.name)
            #expect(ContinuousClock.now - start >= .seconds(1) && server.requests.count == 2)
        }
    }

    @Test func `that wants to be left alone for longer than anybody waits is not asked again`() async throws {
        try await Self.with { _ in
            .answer(status: 503, headers: [("Retry-After", "3600")])
        } _: { blobs, server in
            await #expect(throws: AttachmentError.unavailable) { try await blobs.read(Self.name, 0..<5) }
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [(403, "ExpiredToken"), (301, "PermanentRedirect"), (400, "AuthorizationHeaderMalformed")])
    func `that refuses, or is elsewhere, is asked once, and says why`(status: Int, code: String) async throws {
        let text = "<Error><Code>\(code)</Code><Region>eu-west-1</Region></Error>"
        try await Self.with { request in
            .answer(
                status: status,
                headers: [("Location", "http://127.0.0.1:1/elsewhere")],
                body: Array((request.method == "HEAD" ? "" : text).utf8)
            )
        } _: { blobs, server in
            await Self.refuses(blobs)
            #expect(server.requests.count == 5)
            #expect(await blobs.trouble() == "the bucket of attachments answers \(status) \(code)")
        }
    }

    @Test(arguments: [200, 403, 404]) func `whose answer has no end is heard no further than is of use`(
        status: Int
    ) async throws {
        let more = Array(String(repeating: "<Contents><Key>a</Key></Contents>", count: 1_000).utf8)
        try await Self.with { request in
            request.method == "HEAD" ? .answer(status: status) : .endless(status: status, of: more)
        } _: { blobs, server in
            await #expect(throws: AttachmentError.unavailable) { try await blobs.list(after: nil) }
            if status == 404 {
                await #expect(throws: BlobMissing.self) { try await blobs.read(Self.name, 0..<5) }
            } else {
                await #expect(throws: AttachmentError.unavailable) { try await blobs.read(Self.name, 0..<5) }
            }
            // What is too much is not asked for again.
            #expect(server.requests.count == 2)
        }
    }

    // MARK: Lying

    enum Lie: CaseIterable {
        case nothing, shorter, wrongChecksum, otherBytes, fewerBytes, noBytes

        func answer(_ request: WebTestServer.Request) -> Answer {
            let bytes = `A bucket`.bytes
            switch (request.method, self) {
            case ("PUT", _): return .answer(status: 200, headers: [("ETag", "\"d41d8cd98f00b204e9800998ecf8427e\"")])
            case (_, .nothing): return .answer(status: 404)
            case ("HEAD", .shorter): return .answer(status: 200, body: Array(bytes.dropLast()))
            case ("HEAD", .wrongChecksum):
                let wrong = Data(SHA256.hash(data: Data())).base64EncodedString()
                return .answer(status: 200, headers: [("x-amz-checksum-sha256", wrong)], body: Array(bytes))
            case ("HEAD", _): return .answer(status: 200, body: Array(bytes))
            case (_, .fewerBytes): return .answer(status: 206, body: Array(bytes.dropLast()))
            case (_, .noBytes): return .answer(status: 404)
            default: return .answer(status: 206, body: Array(bytes.reversed()))
            }
        }
    }

    @Test(arguments: Lie.allCases) func `that does not keep what it says it has kept is found out`(
        lie: Lie
    ) async throws {
        try await Self.with {
            lie.answer($0)
        } _: { blobs, _ in
            await #expect(throws: AttachmentError.unavailable) { try await Self.put(blobs) }
        }
    }

    @Test(arguments: [true, false]) func `that keeps what it is given is believed by a checksum, or by its bytes`(
        givesChecksum: Bool
    ) async throws {
        try await Self.with { request in
            switch request.method {
            case "PUT": return .answer(status: 200)
            case "HEAD":
                let headers = givesChecksum ? [("x-amz-checksum-sha256", Self.checksum)] : []
                return .answer(status: 200, headers: headers, body: Array(Self.bytes))
            default: return .answer(status: 206, body: Array(Self.bytes))
            }
        } _: { blobs, server in
            try await Self.put(blobs)
            let put = try #require(server.requests.first)
            #expect(put.header("x-amz-checksum-sha256") == Self.checksum && Data(put.body) == Self.bytes)
            #expect(server.requests.count { $0.method == "GET" } == (givesChecksum ? 0 : 1))
        }
    }

    @Test(arguments: [(206, 4), (200, 0), (404, 500), (416, 500)])
    func `that has less than was kept has lost it, however much it says of that`(
        status: Int,
        count: Int
    ) async throws {
        try await Self.with { _ in
            .answer(status: status, body: Array(repeating: 7, count: count))
        } _: { blobs, _ in
            await #expect(throws: BlobMissing.self) { try await blobs.read(Self.name, 0..<5) }
        }
    }

    @Test func `that gives all where a part is asked for is not listened to`() async throws {
        try await Self.with { _ in
            .answer(status: 200, body: Array(repeating: 7, count: 5_000))
        } _: { blobs, server in
            await #expect(throws: AttachmentError.unavailable) { try await blobs.read(Self.name, 0..<5) }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `that lists the same again and again is not asked forever`() async throws {
        let names = [BlobName(UUID(), .full), BlobName(UUID(), .thumbnail)].sorted { $0.path < $1.path }
        let keys = names.map { "<Contents><Key>\($0.path)</Key></Contents>" }.joined()
        try await Self.with { _ in
            .answer(status: 200, body: Array("<ListBucketResult>\(keys)</ListBucketResult>".utf8))
        } _: { blobs, _ in
            let listed = try await blobs.list(after: nil)
            #expect(listed == names.map(\.path))
            await #expect(throws: AttachmentError.unavailable) { try await blobs.list(after: names.last?.path) }
        }
    }
}
