import Foundation
import ParleyWire
import Testing

@testable import Attachments

@Suite struct `The directory of blobs` {
    private func file(_ bytes: Data, in directory: String) async throws -> String {
        let path = "\(directory)/\(UUID()).new"
        let file = try await DiskFile.create(path)
        try await file.append(bytes)
        try await file.sync()
        return path
    }

    @Test func `keeps what it is given under its name, and lists it`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("blobs-\(UUID())").path
        try Disk.makeDirectory("\(directory)/files")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = DiskBlobs(directory: "\(directory)/files")
        let names = (0..<5).flatMap { _ in
            let id = UUID()
            return [BlobName(id, .full), BlobName(id, .thumbnail)]
        }
        for name in names {
            #expect(BlobName(path: name.path) == name)
            try await store.put(try await file(Data("0123456789".utf8), in: directory), as: name)
        }
        #expect(try await store.read(names[0], 2..<5) == Data("234".utf8))
        #expect(try await store.size(of: names[1]) == 10)
        var listed: Set<String> = []
        var last: String?
        while case let page = try await store.list(after: last), let end = page.last {
            listed.formUnion(page)
            last = end
        }
        #expect(listed.isSuperset(of: names.map(\.path)))
        #expect(Set(listed.compactMap { BlobName(path: $0) }) == Set(names))
        #expect(!listed.contains { BlobName.isMisplaced($0) })
        try await store.remove(names[0])
        try await store.remove(names[0])
        #expect(try await store.size(of: names[0]) == nil)
        await #expect(throws: BlobMissing.self) { try await store.read(names[0], 0..<1) }
        await #expect(throws: BlobMissing.self) { try await store.read(names[1], 8..<12) }
        #expect(BlobName(path: "../../etc/passwd") == nil && !BlobName.isMisplaced("../../etc/passwd"))
    }

    @Test func `makes a directory again that has gone, also where it knew it`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("blobs-\(UUID())").path
        try Disk.makeDirectory("\(directory)/files")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = DiskBlobs(directory: "\(directory)/files")
        let name = BlobName(UUID(), .full)
        for _ in 0..<2 {
            try await store.put(try await file(Data("0123456789".utf8), in: directory), as: name)
            #expect(try await store.size(of: name) == 10)
            try FileManager.default.removeItem(atPath: "\(directory)/files/\(name.shard.prefix(2))")
        }
    }
}
