import TestSupport
import Testing

/// Who is there and who is typing, on two servers, whatever people, time and faults do.
@Suite(.database, .timeLimit(.minutes(10))) struct PresenceWalkTests {
    @Test(arguments: UInt64(1)...10)
    func `every stream is told what it may see, no more and in the end no less`(seed: UInt64) async throws {
        let walk = PresenceWalk(seed: seed)
        try await walk.begin()
        for _ in 0..<80 { try await walk.next() }
        try await walk.end()
    }
}
