import API
import Attachments
import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import Edge

/// Uploads of which the disk or the bucket does not keep what it was given.
@Suite(.database, .timeLimit(.minutes(5))) struct `An upload that ends in doubt` {
    private static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 31) }

    /// Goes on where HEAD says, and has it whole.
    private static func goOn(_ path: String, of ada: Person, at expected: Int) async throws {
        let head = try await ada.bring(.head, path)
        #expect(head["Upload-Complete"] == "?0" && head["Upload-Offset"] == "\(expected)")
        let rest: HTTPFields = [.uploadOffset: "\(expected)", .uploadComplete: "?1"]
        let done = try await ada.bring(.patch, path, headers: rest, Array(Self.bytes[expected...]))
        #expect(try done.decode(ParleyWire.Attachment.self, status: .created).bytes == 300_000)
        #expect(try await ada.bring(.get, "\(path)/content").body == Data(Self.bytes))
    }

    @Test(arguments: [FakeBucket.Mood.failing, .forgetting, .confusing, .expired])
    func `goes on when the bucket is well again`(mood: FakeBucket.Mood) async throws {
        try await FakeBucket.with { fake, bucket in
            try await TestServer.with {
                $0.attachments = { $0.bucket = bucket }
            } _: { server in
                let ada = try await server.register("Ada")
                let path = "/v1/attachments/\(WireID())"
                fake.set(mood)
                try await ada.bring(.put, "\(path)?kind=file", Self.bytes).expect(.unavailable)
                fake.set(.well)
                try await Self.goOn(path, of: ada, at: 262_144)
                #expect(fake.count == 1)
            }
        }
    }

    @Test func `begins anew when the bucket is well again`() async throws {
        try await FakeBucket.with { fake, bucket in
            try await TestServer.with {
                $0.attachments = { $0.bucket = bucket }
            } _: { server in
                let ada = try await server.register("Ada")
                let image = try SampleImage.bytes("plain.png")
                let path = "/v1/attachments/\(WireID())?kind=image"
                fake.set(.failing)
                try await ada.bring(.put, path, image).expect(.unavailable)
                fake.set(.well)
                #expect(try await ada.bring(.put, path, image).status == .created)
                #expect(fake.count == 2)
                let left = try FileManager.default.contentsOfDirectory(
                    atPath: "\(server.dependencies.attachments.directory)/uploads"
                )
                #expect(left.isEmpty)
            }
        }
    }

    @Test func `is answered soon where the bucket says nothing`() async throws {
        let silent = try SilentServer()
        var bucket = try FakeBucket.bucket(at: Int(silent.port))
        bucket.patience = .milliseconds(100)
        try await TestServer.with { [bucket] in
            $0.attachments = { $0.bucket = bucket }
        } _: { server in
            let ada = try await server.register("Ada")
            let path = "/v1/attachments/\(WireID())"
            try await ada.bring(.put, "\(path)?kind=file", Self.bytes).expect(.unavailable)
            #expect(try await ada.bring(.head, path)["Upload-Offset"] == "262144")
        }
        withExtendedLifetime(silent) {}
    }

    @Test func `begins at its first byte where its pieces are not on this disk`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let path = "/v1/attachments/\(WireID())"
            let headers: HTTPFields = [.uploadComplete: "?0"]
            _ = try await ada.bring(.put, "\(path)?kind=file", headers: headers, Array(Self.bytes[..<200_000]))
            let directory = "\(server.dependencies.attachments.directory)/uploads"
            for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
            }
            let rest: HTTPFields = [.uploadOffset: "196608", .uploadComplete: "?1"]
            let answer = try await ada.bring(.patch, path, headers: rest, Array(Self.bytes[196_608...]))
            try answer.expect(.idConflict)
            #expect(answer["Upload-Offset"] == "0")
            try await Self.goOn(path, of: ada, at: 0)
        }
    }

    @Test func `leaves nothing of pictures that were kept, and not noted before a crash`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let attachments = server.dependencies.attachments
            let path = "/v1/attachments/\(WireID())?kind=image"
            let image = try SampleImage.bytes("plain.png")
            let begun = try await ada.bring(.put, path, headers: [.uploadComplete: "?0"], image)
            #expect(begun["Upload-Complete"] == "?0")
            let pieces = try FileManager.default.contentsOfDirectory(atPath: "\(attachments.directory)/uploads")
            let blob = try #require(pieces.first).prefix { $0 != "." }
            let tail = blob.suffix(4)
            let shard = "\(attachments.directory)/files/\(tail.prefix(2))/\(tail.suffix(2))"
            try FileManager.default.createDirectory(atPath: shard, withIntermediateDirectories: true)
            // Torn, as a crash may leave them.
            for size in ["full", "thumbnail"] {
                try Data(image.prefix(7)).write(to: URL(fileURLWithPath: "\(shard)/\(blob).\(size)"))
            }
            // Somebody is still bringing it, as far as is known.
            #expect(try await attachments.verify().findings.isEmpty)
            #expect(try await ada.bring(.put, path, image).status == .created)
            #expect(try await attachments.verify().findings.isEmpty)
            #expect(try await server.blobs() == 2)
        }
    }

    @Test func `leaves nothing of a file that was kept, and not noted before a crash`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let attachments = server.dependencies.attachments
            let path = "/v1/attachments/\(WireID())"
            let headers: HTTPFields = [.uploadComplete: "?0"]
            _ = try await ada.bring(.put, "\(path)?kind=file", headers: headers, Array(Self.bytes[..<200_000]))
            let uploads = "\(attachments.directory)/uploads"
            let piece = try #require(try FileManager.default.contentsOfDirectory(atPath: uploads).first)
            let blob = piece.prefix { $0 != "." }
            let tail = blob.suffix(4)
            let shard = "\(attachments.directory)/files/\(tail.prefix(2))/\(tail.suffix(2))"
            try FileManager.default.createDirectory(atPath: shard, withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: "\(uploads)/\(piece)", toPath: "\(shard)/\(blob).full")
            let rest: HTTPFields = [.uploadOffset: "196608", .uploadComplete: "?1"]
            let answer = try await ada.bring(.patch, path, headers: rest, Array(Self.bytes[196_608...]))
            try answer.expect(.idConflict)
            #expect(answer["Upload-Offset"] == "0")
            #expect(try await server.blobs() == 0)
            try await Self.goOn(path, of: ada, at: 0)
            #expect(try await server.blobs() == 1)
        }
    }

    @Test(.smallDisk) func `is refused where the disk is full, and leaves nothing`() async throws {
        try await Self.withSmallDisk { server, ada, directory in
            let path = "/v1/attachments/\(WireID())?kind=file"
            try await ada.bring(.put, path, Array(repeating: 7, count: 3_000_000)).expect(.insufficientStorage)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(directory)/uploads").isEmpty)
            // The id may be used again, and a file that fits is taken.
            let file = try await ada.bring(.put, path, Self.bytes).decode(
                ParleyWire.Attachment.self,
                status: .created
            )
            #expect(try await server.bring(.get, file.url).body == Data(Self.bytes))
        }
    }

    @Test(.smallDisk) func `is taken away where the disk is full when it is put together`() async throws {
        try await Self.withSmallDisk { server, ada, directory in
            let path = "/v1/attachments/\(WireID())"
            let bytes = Array(repeating: UInt8(7), count: 1_400_000)
            let headers: HTTPFields = [.uploadComplete: "?0"]
            let first = try await ada.bring(.put, "\(path)?kind=file", headers: headers, Array(bytes[..<983_040]))
            #expect(first["Upload-Offset"] == "983040")
            let rest: HTTPFields = [.uploadOffset: "983040", .uploadComplete: "?1"]
            try await ada.bring(.patch, path, headers: rest, Array(bytes[983_040...])).expect(.insufficientStorage)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(directory)/uploads").isEmpty)
            #expect(try await ada.bring(.put, "\(path)?kind=file", Self.bytes).status == .created)
        }
    }

    /// A server whose files have 2 MiB of disk, and somebody who brings some.
    private static func withSmallDisk(
        _ body: @escaping @Sendable (_ server: TestServer, _ ada: Person, _ directory: String) async throws -> Void
    ) async throws {
        try await SmallDisk.with { directory in
            try await TestServer.with {
                $0.attachments = { $0.directory = directory }
            } _: { server in
                try await body(server, try await server.register("Ada"), directory)
            }
        }
    }
}
