import Foundation
import Testing

@testable import Live

/// Who is shown what others have read, as far as memory knows.
struct SharedReadingMemoryTests {
    private let ada = UUID(), ben = UUID()

    @Test func `nobody is asked for twice until something changes`() async throws {
        let memory = SharedReadingMemory()
        let first = try await memory.without(among: [ada, ben]) { [ada, ben] asked in
            #expect(asked == [ada, ben])
            return [ada]
        }
        #expect(first == [ada])
        let second = try await memory.without(among: [ada, ben]) { asked in
            Issue.record("asked again for \(asked)")
            return []
        }
        #expect(second == [ada])
        memory.changed(ada)
        let third = try await memory.without(among: [ada, ben]) { [ada] asked in
            #expect(asked == [ada])
            return []
        }
        #expect(third.isEmpty)
    }

    @Test func `what was read before a change is not remembered`() async throws {
        let memory = SharedReadingMemory()
        let before = try await memory.without(among: [ada]) { [ada] _ in
            memory.changed(ada)
            return [ada]
        }
        let after = try await memory.without(among: [ada]) { _ in [] }
        #expect(before == [ada])
        #expect(after.isEmpty)
    }
}
