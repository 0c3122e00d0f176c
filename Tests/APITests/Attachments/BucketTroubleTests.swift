import API
import Attachments
import Foundation
import HTTPTypes
import HummingbirdTesting
import ParleyWire
import TestSupport
import Testing

@testable import Edge

/// What people and operators see of a bucket that is gone, or lies.
@Suite(.database, .timeLimit(.minutes(5))) struct `A bucket in trouble` {
    private static func with(
        _ body: @escaping @Sendable (FakeBucket, TestServer) async throws -> Void
    ) async throws {
        try await FakeBucket.with { fake, bucket in
            try await TestServer.with {
                $0.attachments = { $0.bucket = bucket }
            } _: { server in
                try await body(fake, server)
            }
        }
    }

    private static func notes(_ count: Int, of ada: Person) async throws -> [ParleyWire.Attachment] {
        var files: [ParleyWire.Attachment] = []
        for number in 0..<count { files.append(try await ada.upload(Array("Note \(number)".utf8))) }
        return files
    }

    private static func expectAll(_ files: [ParleyWire.Attachment], of ada: Person) async throws {
        for (number, file) in files.enumerated() {
            let content = try await ada.bring(.get, "/v1/attachments/\(file.id)/content")
            #expect(content.status == .ok && content.body == Data("Note \(number)".utf8))
        }
    }

    // MARK: Messages

    @Test func `keeps no message from being sent or deleted`() async throws {
        try await Self.with { fake, server in
            let (ada, bob) = (try await server.register("Ada"), try await server.register("Bob"))
            let talk = try await ada.talk(to: bob)
            let files = try await Self.notes(2, of: ada)
            fake.set(.failing)
            let sent = try await ada.send([files[0]], in: talk.id).decode(Message.self, status: .created)
            #expect(try await ada.send([files[1]], in: talk.id).status == .created)
            let path = "/v1/attachments/\(files[0].id)/content"
            try await bob.bring(.get, path).expect(.unavailable)
            fake.set(.well)
            #expect(try await bob.bring(.get, path).body == Data("Note 0".utf8))
            fake.set(.failing)
            #expect(try await ada.send(.delete, sent.path).status == .noContent)
            #expect(try await bob.bring(.get, path).status == .notFound)
            await #expect(throws: AttachmentError.unavailable) { try await server.collect() }
            fake.set(.well)
            try await server.collect()
            #expect(fake.count == 1)
        }
    }

    @Test func `that keeps one file from being removed keeps no other`() async throws {
        try await Self.with { fake, server in
            let ada = try await server.register("Ada")
            var files = try await Self.notes(1, of: ada)
            fake.lock()
            files += try await Self.notes(3, of: ada)
            for file in files {
                #expect(try await ada.bring(.delete, "/v1/attachments/\(file.id)").status == .noContent)
            }
            await #expect(throws: AttachmentError.unavailable) { try await server.collect() }
            #expect(fake.count == 1)
            fake.unlock()
            try await server.collect()
            #expect(fake.count == 0)
        }
    }

    @Test func `whose keys hold no longer is named, and takes and gives nothing`() async throws {
        try await Self.with { fake, server in
            let ada = try await server.register("Ada")
            let files = try await Self.notes(1, of: ada)
            fake.set(.expired)
            try await ada.bring(.get, "/v1/attachments/\(files[0].id)/content").expect(.unavailable)
            try await ada.bring(.put, "/v1/attachments/\(WireID())?kind=file", [1]).expect(.unavailable)
            var troubles: [String] = []
            for trouble in server.dependencies.attachments.troubles {
                if let text = await trouble.ask() { troubles.append(text) }
            }
            #expect(troubles == ["the bucket of attachments answers 403 ExpiredToken"])
        }
    }

    // MARK: Other bytes

    @Test func `that gives other bytes is noticed before any of them is read`() async throws {
        try await Self.with { fake, server in
            let ada = try await server.register("Ada")
            let files = try await Self.notes(1, of: ada)
            fake.set(.changing(from: 0))
            for headers: HTTPFields in [[:], [.range: "bytes=1-2"]] {
                let path = "/v1/attachments/\(files[0].id)/content"
                try await ada.bring(.get, path, headers: headers).expect(.unavailable)
            }
            fake.set(.well)
            try await Self.expectAll(files, of: ada)
        }
    }

    @Test func `that gives other bytes in the middle ends the answer short of them`() async throws {
        try await FakeBucket.with { fake, bucket in
            try await TestServer.with {
                $0.setup = .live
                $0.attachments = { $0.bucket = bucket }
            } _: { server in
                let ada = try await server.register("Ada")
                let file = try await ada.upload(Array(repeating: UInt8(ascii: "a"), count: 2_000_000))
                fake.set(.changing(from: 1_000_000))
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
                #expect(answer.lowercased().contains("content-length: 2000000\r\n"))
                let parts = answer.components(separatedBy: "\r\n\r\n")
                // The piece of 16 chunks whose seal holds, and nothing of the next.
                #expect(parts.count == 2 && parts[1] == String(repeating: "a", count: 16 * 65_536))
            }
        }
    }

    // MARK: Moving

    @Test func `that goes while files are moved to it has those that were moved, and takes the others later`()
        async throws
    {
        try await Self.with { fake, server in
            let ada = try await server.register("Ada")
            let files = try await Self.notes(4, of: ada)
            let attachments = server.dependencies.attachments
            #expect(try await attachments.move(to: .disk).files == 4)
            #expect(try await server.blobs() == 4)
            #expect(fake.count == 0)
            fake.fail(after: 2)
            await #expect(throws: AttachmentError.unavailable) { try await attachments.move(to: .s3) }
            let left = try FileManager.default.contentsOfDirectory(atPath: "\(attachments.directory)/uploads")
            #expect(left.isEmpty)
            #expect(try await server.blobs() == 2)
            fake.set(.well)
            try await Self.expectAll(files, of: ada)
            #expect(try await attachments.move(to: .s3).files == 2)
            #expect(try await server.blobs() == 0)
            #expect(fake.count == 4)
            try await Self.expectAll(files, of: ada)
        }
    }

    @Test(arguments: [FakeBucket.Mood.failing, .expired, .forgetting, .confusing])
    func `takes no file from the disk that it does not keep`(mood: FakeBucket.Mood) async throws {
        try await Self.with { fake, server in
            let ada = try await server.register("Ada")
            let files = try await Self.notes(2, of: ada)
            let attachments = server.dependencies.attachments
            #expect(try await attachments.move(to: .disk).files == 2)
            fake.set(mood)
            await #expect(throws: AttachmentError.unavailable) { try await attachments.move(to: .s3) }
            #expect(try await server.blobs() == 2)
            try await Self.expectAll(files, of: ada)
            fake.set(.well)
            #expect(try await attachments.move(to: .s3).files == 2)
            try await Self.expectAll(files, of: ada)
        }
    }

    @Test func `that gives other bytes keeps what it has, and they are not moved`() async throws {
        try await Self.with { fake, server in
            let ada = try await server.register("Ada")
            let files = try await Self.notes(2, of: ada)
            let attachments = server.dependencies.attachments
            fake.set(.changing(from: 0))
            let moved = try await attachments.move(to: .disk)
            #expect(moved.files == 0 && moved.findings.count == 2)
            #expect(moved.findings.allSatisfy { $0.contains("is not what was kept (s3: ") })
            #expect(fake.count == 2)
            #expect(try await server.blobs() == 0)
            fake.set(.well)
            #expect(try await attachments.move(to: .disk).files == 2)
            try await Self.expectAll(files, of: ada)
        }
    }

    @Test func `gets what is there, beside files that are lost`() async throws {
        try await Self.with { fake, server in
            let ada = try await server.register("Ada")
            _ = try await Self.notes(3, of: ada)
            let attachments = server.dependencies.attachments
            #expect(try await attachments.move(to: .disk).files == 3)
            try FileManager.default.removeItem(atPath: try #require(try server.blobPaths().first))
            let moved = try await attachments.move(to: .s3)
            #expect(moved.files == 2 && moved.findings.count == 1)
            #expect(moved.findings.first?.contains("is missing (disk: ") == true)
            #expect(fake.count == 2)
        }
    }
}
