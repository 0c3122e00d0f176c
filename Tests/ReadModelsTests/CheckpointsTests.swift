import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import ReadModels

@Suite struct CheckpointsTests {
    @Test func `what is passed already is not waited for`() async throws {
        let checkpoints = Checkpoints(partitions: 2)
        checkpoints.set(1, to: 5)
        #expect(try await checkpoints.wait(for: [:], timeout: .zero))
        #expect(try await checkpoints.wait(for: [1: 5], timeout: .zero))
        #expect(try await !checkpoints.wait(for: [1: 6], timeout: .zero))
        // A partition that there is not is never passed.
        #expect(try await !checkpoints.wait(for: [7: 1], timeout: .zero))
    }

    @Test func `a waiter goes on when every partition has come far enough`() async throws {
        let checkpoints = Checkpoints(partitions: 3)
        async let passed = checkpoints.wait(for: [0: 2, 2: 3], timeout: .seconds(60))
        checkpoints.set(0, to: 5)
        checkpoints.set(1, to: 5)
        checkpoints.set(2, to: 2)
        checkpoints.set(2, to: 3)
        #expect(try await passed)
        #expect(checkpoints.positions == [5, 5, 3])
    }

    @Test func `what a crash may have undone is waited for again`() async throws {
        let checkpoints = Checkpoints(partitions: 2)
        checkpoints.set(0, to: 5)
        checkpoints.forget([0])
        #expect(try await !checkpoints.wait(for: [0: 5], timeout: .zero))
        #expect(checkpoints.positions == [5, 0])
        async let passed = checkpoints.wait(for: [0: 5], timeout: .seconds(60))
        checkpoints.set(0, to: 3)
        checkpoints.set(0, to: 5)
        #expect(try await passed)
        checkpoints.forget([0])
        checkpoints.set(0, to: 5)
        #expect(try await checkpoints.wait(for: [0: 5], timeout: .zero))
    }

    @Test func `a new epoch takes nothing for projected, and nobody's word of the old one`() async throws {
        let checkpoints = Checkpoints(partitions: 2)
        checkpoints.set(0, to: 5)
        async let passed = checkpoints.wait(for: [0: 6], timeout: .seconds(60))
        let rendered = Task { try await checkpoints.wait(for: [0: 6], timeout: .seconds(60), in: 0) }
        let next = Epoch(generation: 1, id: 2, heads: [4, 0])
        checkpoints.begin(next)
        #expect(try await !passed)
        await #expect(throws: EpochEnded.self) { try await rendered.value }
        #expect(checkpoints.positions == [0, 0])
        checkpoints.set(0, to: 6)
        #expect(try await !checkpoints.wait(for: [0: 1], timeout: .zero))
        checkpoints.set(0, to: 4, in: 1)
        checkpoints.begin(next)
        #expect(try await checkpoints.wait(for: [0: 4], timeout: .zero, in: 1))
        #expect(try await !checkpoints.wait(for: [1: 0], timeout: .zero, in: 1))
    }

    @Test(.timeLimit(.minutes(10))) func `a waiter that is cancelled waits no more`() async throws {
        let checkpoints = Checkpoints(partitions: 1)
        // Far longer than the test may take: what ends it is the cancellation.
        let waiting = Task { try await checkpoints.wait(for: [0: 1], timeout: .seconds(3_600)) }
        while checkpoints.waiting == 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(checkpoints.waiting == 0)
    }

    @Test(.timeLimit(.minutes(10))) func `a waiter that was cancelled before it came does not wait at all`()
        async throws
    {
        let checkpoints = Checkpoints(partitions: 1)
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await checkpoints.wait(for: [0: 1], timeout: .seconds(3_600))
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(checkpoints.waiting == 0)
    }

    @Test func `subscribers hear of every change, and of several as one`() async throws {
        let checkpoints = Checkpoints(partitions: 1)
        var changes = checkpoints.changes().makeAsyncIterator()
        await changes.next()
        checkpoints.set(0, to: 1)
        checkpoints.set(0, to: 2)
        await changes.next()
        #expect(checkpoints.position(of: 0) == 2)
    }
}
