import Foundation
import ParleyWire
import Testing

@testable import parley_load

struct JournalTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID()).jsonl").path
    private let header = JournalEntry.Header(seed: 1, files: ["a"], lines: 10, options: PlanOptions())

    private func word(_ seq: Int64, birth: Acknowledgement.Birth = .now) -> JournalEntry {
        .acknowledged(
            Acknowledgement(
                message: Samples.id(5),
                seq: seq,
                timestamp: Samples.time(1),
                position: "p",
                birth: birth
            )
        )
    }

    private func withJournal(_ body: (Journal) throws -> Void) throws {
        try body(Journal(path: path, header: header))
    }

    @Test func `a later process knows what was promised to an earlier one`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try withJournal { journal in
            #expect(!journal.isContinued)
            try journal.record(.registered(person: "p", userID: Samples.ann))
            try journal.record(.created(group: "a", position: nil))
            try journal.record(word(3))
            try journal.record(.done(step: "a#4", position: "token"))
            #expect(journal.birth(of: Samples.id(5)) == .now)
        }
        try withJournal { journal in
            #expect(journal.isContinued)
            #expect(journal.userID(of: "p") == Samples.ann)
            #expect(journal.isCreated(group: "a"))
            #expect(journal.acknowledgement(of: Samples.id(5))?.seq == 3)
            #expect(journal.isDone(step: "a#4"))
            #expect(journal.position(ofStep: "a#4") == "token")
            #expect(!journal.isDone(step: "a#5"))
            // This process has no stream that could have seen it.
            #expect(journal.birth(of: Samples.id(5)) == nil)
            try journal.record(word(3, birth: .before))
            #expect(journal.birth(of: Samples.id(5)) == .before)
        }
    }

    @Test func `the first word counts`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try withJournal { try $0.record(word(3)) }
        try withJournal { try $0.record(word(4, birth: .before)) }
        try withJournal { #expect($0.acknowledgement(of: Samples.id(5))?.seq == 3) }
    }

    @Test func `a last line that a crash cut short is dropped, and the next one is whole`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try withJournal { try $0.record(.registered(person: "p", userID: Samples.ann)) }
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(#"{"acknowledged":{"_0":{"mess"#.utf8))
        try handle.close()
        try withJournal { try $0.record(word(3)) }
        try withJournal { journal in
            #expect(journal.userID(of: "p") == Samples.ann)
            #expect(journal.acknowledgement(of: Samples.id(5))?.seq == 3)
        }
    }

    @Test func `the journal of another plan is refused`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try withJournal { _ in }
        let other = JournalEntry.Header(seed: 2, files: ["a"], lines: 10, options: PlanOptions())
        #expect(throws: Journal.Unusable.self) { try Journal(path: path, header: other) }
    }

    @Test func `a file that is no journal is refused`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("hello\nworld\n".utf8).write(to: URL(filePath: path))
        #expect(throws: Journal.Unusable.self) { try Journal(path: path, header: header) }
    }
}
