import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Identity

@Suite(.timeLimit(.minutes(10))) struct `Worker threads` {
    @Test func `refuse what their queue has no room for, until there is room again`() {
        let queue = WorkQueue(threads: 1, limit: 2)
        let done = Mutex(0)
        let work: WorkQueue.Work = {
            done.withLock { $0 += 1 }
            return {}
        }
        #expect((0..<3).map { _ in queue.add(work) } == [true, true, true])
        #expect(!queue.add(work))
        queue.stop()
        queue.work()
        #expect(done.withLock { $0 } == 3)
        #expect(queue.add(work))
    }

    @Test func `have room for who has just been answered`() async throws {
        let threads = WorkerThreads(count: 1, queueLimit: 0)
        for number in 0..<2_000 { #expect(try await threads.run { number } == number) }
    }

    @Test func `answer with what the work returns or throws`() async throws {
        let threads = WorkerThreads(count: 2, queueLimit: 100)
        struct Failure: Error {}
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<100 {
                group.addTask { (number, try await threads.run { number * number }) }
            }
            for try await (number, square) in group { #expect(square == number * number) }
        }
        await #expect(throws: Failure.self) { try await threads.run { throw Failure() } }
    }

    @Test func `skip work that was cancelled while it waited`() async throws {
        let threads = WorkerThreads(count: 1, queueLimit: 10)
        let busy = await BusyThreads(threads, count: 1)
        let abandoned = Task { try await threads.run { Issue.record("abandoned work was done") } }
        abandoned.cancel()
        await busy.release()
        await #expect(throws: CancellationError.self) { try await abandoned.value }
    }

    @Test func `skip work that has waited too long`() async throws {
        let threads = WorkerThreads(count: 1, queueLimit: 10, patience: .zero)
        await #expect(throws: IdentityError.overloaded) {
            try await threads.run { Issue.record("late work was done") }
        }
    }

    @Test func `finish what they accepted when their pool ends`() async throws {
        let answer = try await WorkerThreads(count: 1, queueLimit: 1).run { 42 }
        #expect(answer == 42)
    }

    #if os(Linux)
    @Test func `stand back, and nobody else does`() async throws {
        let process = __priority_which_t(PRIO_PROCESS.rawValue)
        let threads = WorkerThreads(count: 2, queueLimit: 10, niceness: 7)
        let own = getpriority(process, 0)
        for _ in 0..<4 { #expect(try await threads.run { getpriority(process, 0) } == min(own + 7, 19)) }
        #expect(getpriority(process, 0) == own)
    }
    #endif
}

/// Keeps threads of a pool busy until it is told to let go.
final class BusyThreads: Sendable {
    private let tasks: [Task<Void, Never>]
    private let gate: DispatchSemaphore

    /// Returns when the threads are busy.
    init(_ threads: WorkerThreads, count: Int) async {
        let gate = DispatchSemaphore(value: 0)
        let (begun, continuation) = AsyncStream<Void>.makeStream()
        self.gate = gate
        tasks = (0..<count).map { _ in
            Task {
                do {
                    try await threads.run {
                        continuation.yield()
                        gate.wait()
                    }
                } catch {
                    Issue.record("no thread was free to be kept busy: \(error)")
                    continuation.yield()
                }
            }
        }
        var iterator = begun.makeAsyncIterator()
        for _ in 0..<count { await iterator.next() }
    }

    func release() async {
        for _ in tasks { gate.signal() }
        for task in tasks { await task.value }
    }
}
