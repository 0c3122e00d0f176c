import Foundation
import Synchronization
import Testing

@testable import EventStore

@Suite struct HeartbeatsTests {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    @Test func `go on while all threads that tasks share are taken`() async {
        let enough = Flag()
        // Only where the heartbeats do not go on: then the test fails, and does not hang.
        let end = ContinuousClock.now + .seconds(60)
        let spinners = (0..<4 * ProcessInfo.processInfo.activeProcessorCount).map { _ in
            Task {
                while !enough.isSet.load(ordering: .relaxed), ContinuousClock.now < end {}
                return enough.isSet.load(ordering: .relaxed)
            }
        }
        await withTaskExecutorPreference(Heartbeats.thread) {
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            Heartbeats.thread.tick(wake, every: .milliseconds(10))
            var beats = 0
            for await _ in wakes {
                beats += 1
                if beats == 3 { wake.finish() }
            }
            enough.isSet.store(true, ordering: .relaxed)
        }
        for spinner in spinners { #expect(await spinner.value) }
    }
}
