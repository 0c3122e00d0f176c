import ArgumentParser
import Foundation
import Testing

@testable import parley_load

@Suite struct `Pictures of a replay` {
    @Test func `are those of a directory, as they are, and there has to be one`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("pictures-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(throws: ValidationError.self) { try Pictures(directory: directory.path) }
        for name in ["c.webp", "a.JPG", "b.png", "notes.txt"] {
            try Data(name.utf8).write(to: directory.appendingPathComponent(name))
        }
        let pictures = try Pictures(directory: directory.path).all
        #expect(pictures.map(\.type) == ["image/jpeg", "image/png", "image/webp"])
        #expect(pictures.map(\.bytes) == ["a.JPG", "b.png", "c.webp"].map { Data($0.utf8) })
    }

    @Test func `go with some messages, the same in each run, and change nothing else of it`() {
        let plans = [3, 3, nil].map { Samples.plan(seed: 7, options: PlanOptions(pictures: $0)) }
        let sends = plans.map { $0.groups.flatMap(\.sends) }
        let brought = sends[0].compactMap(\.picture)
        #expect(Set(brought) == [0, 1, 2] && brought.count < sends[0].count / 5)
        #expect(sends[1].map(\.picture) == sends[0].map(\.picture))
        #expect(sends[2].allSatisfy { $0.picture == nil } && sends[2].map(\.id) == sends[0].map(\.id))
        #expect(sends[2].map(\.text) == sends[0].map(\.text))
    }
}
