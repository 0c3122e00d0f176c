import Testing

@testable import ReadModels

/// Projectors let events gather, but not for those who wait.
@Suite(.timeLimit(.minutes(10))) struct RestTests {
    @Test func `a rest ends when somebody waits for a position`() async throws {
        let checkpoints = Checkpoints(partitions: 1)
        let resting = Task { await checkpoints.rest(.seconds(3_600)) }
        let waiting = Task { try await checkpoints.wait(for: [0: 1], timeout: .seconds(3_600)) }
        await resting.value
        checkpoints.set(0, to: 1)
        #expect(try await waiting.value)
    }

    @Test func `nobody rests while somebody waits`() async throws {
        let checkpoints = Checkpoints(partitions: 1)
        let waiting = Task { try await checkpoints.wait(for: [0: 1], timeout: .seconds(3_600)) }
        while checkpoints.waiting == 0 { await Task.yield() }
        await checkpoints.rest(.seconds(3_600))
        checkpoints.set(0, to: 1)
        #expect(try await waiting.value)
    }

    @Test func `a rest ends with its task`() async {
        let checkpoints = Checkpoints(partitions: 1)
        let resting = Task { await checkpoints.rest(.seconds(3_600)) }
        resting.cancel()
        await resting.value
    }
}
