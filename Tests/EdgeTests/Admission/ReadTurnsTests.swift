import Foundation
import Identity
import ParleyWire
import Testing

@testable import Edge

/// Whose reads wait for whose.
struct ReadTurnsTests {
    private let greedy = RateSubject.person(UUID())

    /// Waits until so many of the greedy one's wait.
    private func wait(_ count: Int, at turns: ReadTurns) async {
        while turns.waiting(of: greedy) != count { await Task.yield() }
    }

    @Test func `a caller's reads beyond a few wait in their order, and nobody else's do`() async throws {
        let turns = ReadTurns(permits: 1, places: 3)
        let gate = AsyncStream.makeStream(of: Void.self)
        let (passed, names) = AsyncStream.makeStream(of: Int.self)
        let begun = AsyncStream.makeStream(of: Void.self)
        let holder = Task { [greedy] in
            try await turns.pass(of: greedy) {
                begun.continuation.yield()
                _ = await gate.stream.first { _ in true }
            }
        }
        _ = await begun.stream.first { _ in true }
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<3 {
            tasks.append(Task { [greedy] in try await turns.pass(of: greedy) { _ = names.yield(number) } })
            await wait(number + 1, at: turns)
        }
        #expect(try await turns.pass(of: .person(UUID())) { true })
        gate.continuation.yield()
        try await holder.value
        for task in tasks { try await task.value }
        names.finish()
        #expect(await passed.reduce(into: []) { $0.append($1) } == [0, 1, 2])
        #expect(turns.isUnused)
    }

    @Test func `who leaves is passed over, and what fails ends its turn`() async throws {
        struct Failure: Error {}
        let turns = ReadTurns(permits: 1, places: 3)
        let gate = AsyncStream.makeStream(of: Void.self)
        let begun = AsyncStream.makeStream(of: Void.self)
        let holder = Task { [greedy] in
            try await turns.pass(of: greedy) {
                begun.continuation.yield()
                _ = await gate.stream.first { _ in true }
                throw Failure()
            }
        }
        _ = await begun.stream.first { _ in true }
        let leaving = Task { [greedy] in try await turns.pass(of: greedy) {} }
        await wait(1, at: turns)
        let staying = Task { [greedy] in try await turns.pass(of: greedy) {} }
        await wait(2, at: turns)
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.continuation.yield()
        await #expect(throws: Failure.self) { try await holder.value }
        try await staying.value
        #expect(turns.isUnused)
    }

    @Test func `who finds no place is refused, and everybody else is not`() async throws {
        let turns = ReadTurns(permits: 1, places: 1)
        let gate = AsyncStream.makeStream(of: Void.self)
        let begun = AsyncStream.makeStream(of: Void.self)
        let holder = Task { [greedy] in
            try await turns.pass(of: greedy) {
                begun.continuation.yield()
                _ = await gate.stream.first { _ in true }
            }
        }
        _ = await begun.stream.first { _ in true }
        let waiting = Task { [greedy] in try await turns.pass(of: greedy) {} }
        await wait(1, at: turns)
        let refusal = await #expect(throws: HTTPProblem.self) { try await turns.pass(of: greedy) {} }
        #expect(refusal?.code == .overloaded)
        #expect(try await turns.pass(of: .person(UUID())) { true })
        gate.continuation.yield()
        try await holder.value
        try await waiting.value
        #expect(turns.isUnused)
    }
}
