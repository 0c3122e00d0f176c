import API
import Attachments
import Foundation
import HummingbirdTesting
import ParleyWire
import TestSupport
import Testing

/// What `parley verify --attachments` says of files.
@Suite(.database, .timeLimit(.minutes(5))) struct `What is kept and is nobody's` {
    @Test func `is named where it is a copy in another directory`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            _ = try await ada.upload(Array("Notes".utf8))
            let attachments = server.dependencies.attachments
            let path = try #require(try server.blobPaths().first)
            let parts = path.split(separator: "/").suffix(3).map { String($0) }
            try #require(parts.count == 3)
            let (outer, inner, file) = (parts[0], parts[1], parts[2])
            let directory = "\(attachments.directory)/files"
            // What is called otherwise is not Parley's.
            try Data().write(to: URL(fileURLWithPath: "\(directory)/\(outer)/README"))
            #expect(try await attachments.verify().findings.isEmpty)
            let copies = [file, "\(outer)/\(file)", "\(outer)/\(inner == "00" ? "11" : "00")/\(file)"]
            for copy in copies {
                let target = URL(fileURLWithPath: "\(directory)/\(copy)")
                try FileManager.default.createDirectory(
                    at: target.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try FileManager.default.copyItem(at: URL(fileURLWithPath: path), to: target)
            }
            let verified = try await attachments.verify()
            #expect(verified.files == 1)
            #expect(verified.findings.sorted() == copies.map { "nobody's: disk: \($0)" }.sorted())
        }
    }

    @Test func `is named where it is a copy of what is kept in another store`() async throws {
        try await FakeBucket.with { fake, bucket in
            try await TestServer.with {
                $0.attachments = { $0.bucket = bucket }
            } _: { server in
                let ada = try await server.register("Ada")
                for number in 0..<3 { _ = try await ada.upload(Array("Note \(number)".utf8)) }
                let attachments = server.dependencies.attachments
                #expect(try await attachments.verify().findings.isEmpty)
                // Cut short between the copy and what it was copied from.
                fake.lock()
                await #expect(throws: AttachmentError.unavailable) { try await attachments.move(to: .disk) }
                let path = try #require(try server.blobPaths().first)
                let name = path.split(separator: "/").suffix(3).joined(separator: "/")
                #expect(try await attachments.verify().findings == ["nobody's: s3: \(name)"])
                fake.unlock()
                let copy = try Data(contentsOf: URL(fileURLWithPath: path))
                #expect(try await attachments.move(to: .s3).files == 1)
                #expect(try await attachments.verify().findings.isEmpty)
                try copy.write(to: URL(fileURLWithPath: path))
                #expect(try await attachments.verify().findings == ["nobody's: disk: \(name)"])
                try FileManager.default.removeItem(atPath: path)
                fake.lose()
                let lost = try await attachments.verify().findings
                #expect(lost.count == 3 && lost.allSatisfy { $0.contains("is missing (s3: ") })
            }
        }
    }
}
