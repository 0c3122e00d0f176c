import Foundation
import Testing

@testable import Live

/// Who waits for the database, and for how long.
struct TurnstileTests {
    /// Waits until so many wait.
    private func wait(_ count: Int, at turnstile: Turnstile) async {
        while turnstile.waiting != count { await Task.yield() }
    }

    @Test func `those who wait pass in their order, and who has left is passed over`() async throws {
        let turnstile = Turnstile(permits: 1, maxWaiting: 10, maxPerPerson: 1)
        let (passed, names) = AsyncStream.makeStream(of: Int.self)
        let gate = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await turnstile.pass { _ = await gate.stream.first { _ in true } } }
            await until { !isFree(turnstile) }
            var tasks: [Task<Void, any Error>] = []
            for number in 0..<4 {
                tasks.append(Task { try await turnstile.pass { _ = names.yield(number) } })
                await wait(number + 1, at: turnstile)
            }
            tasks[1].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[1].value }
            #expect(turnstile.waiting == 3)
            gate.continuation.yield()
            for number in [0, 2, 3] { try await tasks[number].value }
            try await group.waitForAll()
        }
        names.finish()
        #expect(await passed.reduce(into: []) { $0.append($1) } == [0, 2, 3])
        #expect(isFree(turnstile))
    }

    @Test func `newcomers beyond the bound are sent away, who has begun is not`() async throws {
        let turnstile = Turnstile(permits: 1, maxWaiting: 1, maxPerPerson: 1)
        let gate = AsyncStream.makeStream(of: Void.self)
        let holder = Task { try await turnstile.pass { _ = await gate.stream.first { _ in true } } }
        await until { !isFree(turnstile) }
        let first = Task { try await turnstile.pass(as: .newcomer(UUID())) {} }
        await wait(1, at: turnstile)
        #expect(throws: (any Error).self) { _ = try turnstile.reserve() }
        await #expect(throws: (any Error).self) { try await turnstile.pass(as: .newcomer(UUID())) {} }
        let begun = Task { try await turnstile.pass {} }
        await wait(2, at: turnstile)
        gate.continuation.yield()
        try await holder.value
        try await first.value
        try await begun.value
        #expect(isFree(turnstile))
    }

    @Test func `nobody fills the line alone`() async throws {
        let turnstile = Turnstile(permits: 1, maxWaiting: 10, maxPerPerson: 2)
        let (greedy, other) = (UUID(), UUID())
        let gate = AsyncStream.makeStream(of: Void.self)
        let holder = Task {
            try await turnstile.pass(as: .newcomer(greedy)) { _ = await gate.stream.first { _ in true } }
        }
        await until { !isFree(turnstile) }
        let second = Task { try await turnstile.pass(as: .newcomer(greedy)) {} }
        await wait(1, at: turnstile)
        await #expect(throws: (any Error).self) { try await turnstile.pass(as: .newcomer(greedy)) {} }
        let others = Task { try await turnstile.pass(as: .newcomer(other)) {} }
        await wait(2, at: turnstile)
        // Who has left makes room for the same person.
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        let third = Task { try await turnstile.pass(as: .newcomer(greedy)) {} }
        await wait(2, at: turnstile)
        gate.continuation.yield()
        try await holder.value
        for task in [others, third] { try await task.value }
        #expect(isFree(turnstile))
    }

    @Test func `a place that was kept is there for its stream, and for others once it is given back`() async throws {
        let turnstile = Turnstile(permits: 1, maxWaiting: 1, maxPerPerson: 1)
        let gate = AsyncStream.makeStream(of: Void.self)
        let holder = Task { try await turnstile.pass { _ = await gate.stream.first { _ in true } } }
        await until { !isFree(turnstile) }
        let place = try turnstile.reserve()
        #expect(throws: (any Error).self) { _ = try turnstile.reserve() }
        await #expect(throws: (any Error).self) { try await turnstile.pass(as: .newcomer(UUID())) {} }
        let kept = Task { try await turnstile.pass(as: .kept(place)) {} }
        await wait(1, at: turnstile)
        gate.continuation.yield()
        try await holder.value
        try await kept.value
        for _ in 0..<3 { _ = try turnstile.reserve() }
        #expect(isFree(turnstile))
    }

    @Test func `who is cancelled beforehand takes no turn`() async {
        let turnstile = Turnstile(permits: 1, maxWaiting: 1, maxPerPerson: 1)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await turnstile.pass { _ = Issue.record("a turn for nobody") }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(isFree(turnstile))
    }

    private func isFree(_ turnstile: Turnstile) -> Bool { turnstile.free == 1 }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}
