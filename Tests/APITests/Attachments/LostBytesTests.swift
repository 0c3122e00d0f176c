import API
import Attachments
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import ParleyWire
import Synchronization
import TestSupport
import Testing

@testable import Edge

/// Files whose bytes the disk or the bucket does not give any more.
@Suite(.database, .timeLimit(.minutes(5))) struct `A file whose bytes are lost` {
    private static let text = Array(repeating: UInt8(ascii: "a"), count: 2_000_000)

    @Test func `is refused with a problem, and named in the log`() async throws {
        let lines = Mutex<[String]>([])
        try await TestServer.with {
            $0.logger = SecretWatch.logger { line, file in
                SecretWatch.inspect(line, "a log line of \(file)")
                lines.withLock { $0.append(line) }
            }
        } _: { server in
            let ada = try await server.register("Ada")
            let file = try await ada.upload(Self.text, "kind=file&name=\(SecretWatch.mark)diary.txt")
            for path in try server.blobPaths() { try FileManager.default.removeItem(atPath: path) }
            let path = "/v1/attachments/\(file.id)/content"
            for headers: HTTPFields in [[:], [.range: "bytes=5-9"], [.range: "bytes=1000000-"]] {
                let answer = try await ada.bring(.get, path, headers: headers)
                try answer.expect(.unavailable)
                #expect(answer[ParleyHeader.requestID] != nil && answer["Retry-After"] != nil)
            }
            #expect(try await ada.bring(.head, path).status == .serviceUnavailable)
            try await server.bring(.get, file.url).expect(.unavailable)
            // What the client has, it has.
            let tag: HTTPFields = [.ifNoneMatch: "*"]
            #expect(try await ada.bring(.get, path, headers: tag).status == .notModified)
        }
        let named = lines.withLock { $0.filter { $0.hasPrefix("A file cannot be read") } }
        #expect(named.count == 5 && named.allSatisfy { $0.contains(".full") && $0.contains("missing") })
    }

    @Test func `is refused where they are others`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let file = try await ada.upload(Self.text)
            for path in try server.blobPaths() { try Data(Self.text + Self.text).write(to: URL(fileURLWithPath: path)) }
            try await ada.bring(.get, "/v1/attachments/\(file.id)/content").expect(.unavailable)
        }
    }

    @Test func `ends short of its length where they are lost in the middle`() async throws {
        let lines = Mutex<[String]>([])
        try await TestServer.with {
            $0.setup = .live
            $0.logger = SecretWatch.logger { line, file in
                SecretWatch.inspect(line, "a log line of \(file)")
                // As the program's logger adds to every line.
                lines.withLock { $0.append("\(line) \(CurrentRequest.metadata.get())") }
            }
        } _: { server in
            let ada = try await server.register("Ada")
            let file = try await ada.upload(Self.text)
            for path in try server.blobPaths() {
                let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                try handle.truncate(atOffset: 1_000_000)
                try handle.close()
            }
            let request = """
                GET /v1/attachments/\(file.id)/content HTTP/1.1\r
                Host: x\r
                Authorization: Bearer \(ada.session.accessToken)\r
                \r

                """
            let answer = try await RawConnection.with(port: server.client.port) { connection in
                try await connection.say(request)
                return await connection.readAll()
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.lowercased().contains("content-length: 2000000\r\n"))
            let parts = answer.components(separatedBy: "\r\n\r\n")
            // Whole pieces of four chunks, and nothing that would look like an end.
            #expect(parts.count == 2 && parts[1] == String(repeating: "a", count: 3 * 4 * 65_536))
            let field = "x-request-id: "
            let head = answer.components(separatedBy: "\r\n")
            let id = try #require(head.first { $0.lowercased().hasPrefix(field) }?.dropFirst(field.count))
            let named = lines.withLock { $0.filter { $0.hasPrefix("A file cannot be read") } }
            #expect(named.count == 1 && named.allSatisfy { $0.contains(id) }, "\(named)")
        }
    }

    @Test func `is refused where the bucket fails, cuts, or has lost them, and given when it is well again`()
        async throws
    {
        try await FakeBucket.with { fake, bucket in
            try await TestServer.with {
                $0.attachments = { $0.bucket = bucket }
            } _: { server in
                let ada = try await server.register("Ada")
                let file = try await ada.upload(Self.text)
                let path = "/v1/attachments/\(file.id)/content"
                for mood in [FakeBucket.Mood.failing, .cutting] {
                    fake.set(mood)
                    try await ada.bring(.get, path).expect(.unavailable)
                }
                fake.set(.well)
                #expect(try await ada.bring(.get, path).body == Data(Self.text))
                fake.lose()
                try await ada.bring(.get, path).expect(.unavailable)
            }
        }
    }
}

extension TestServer {
    func blobPaths() throws -> [String] {
        let directory = "\(dependencies.attachments.directory)/files"
        return try FileManager.default.subpathsOfDirectory(atPath: directory).filter { $0.hasSuffix(".full") }
            .map { "\(directory)/\($0)" }
    }
}
