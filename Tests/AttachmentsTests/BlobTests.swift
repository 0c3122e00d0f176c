import Foundation
import Metrics
import ParleyWire
import TestSupport
import Testing

@testable import Attachments

@Suite struct `The directory of blobs` {
    private func file(_ bytes: Data, in directory: String) async throws -> DiskFile {
        let file = try await DiskFile.create("\(directory)/\(UUID()).new")
        try await file.append(bytes)
        return file
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
            try await store.put([name.size: try await file(Data("0123456789".utf8), in: directory)], as: name.id)
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
            try await store.put([.full: try await file(Data("0123456789".utf8), in: directory)], as: name.id)
            #expect(try await store.size(of: name) == 10)
            try FileManager.default.removeItem(atPath: "\(directory)/files/\(name.shard.prefix(2))")
        }
    }

    @Test func `syncs what it is given and its directory, and those above once in each process`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("blobs-\(UUID())").path
        try Disk.makeDirectory("\(directory)/files")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        func syncs(photo: Int, shard: String, in store: DiskBlobs) async throws -> Double {
            let id = try #require(UUID(uuidString: "\(photo)0000000-0000-4000-8000-00000000\(shard)"))
            let metrics = NotedMetrics()
            try await withMetricsFactory(metrics) {
                let (full, small) = (
                    try await file(Data("0123456789".utf8), in: directory),
                    try await file(Data("01234".utf8), in: directory)
                )
                try await store.put([.full: full, .thumbnail: small], as: id)
            }
            #expect(try await store.size(of: BlobName(id, .full)) == 10)
            #expect(try await store.size(of: BlobName(id, .thumbnail)) == 5)
            return metrics["parley_attachments_syncs_total"]
        }
        let store = DiskBlobs(directory: "\(directory)/files")
        // Two files and their directory; the one around that, and the one around all, for what is new in them.
        #expect(try await syncs(photo: 1, shard: "0a01", in: store) == 5)
        #expect(try await syncs(photo: 2, shard: "0a01", in: store) == 3)
        #expect(try await syncs(photo: 3, shard: "0a02", in: store) == 4)
        // Another process does not know whether the one before it came so far.
        let next = DiskBlobs(directory: "\(directory)/files")
        #expect(try await syncs(photo: 4, shard: "0a02", in: next) == 5)
        #expect(try await syncs(photo: 5, shard: "0a01", in: next) == 3)
        #expect(try await syncs(photo: 6, shard: "0b01", in: next) == 5)
    }
}
