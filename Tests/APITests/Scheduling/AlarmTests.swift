import Foundation
import Testing

@testable import API

struct AlarmTests {
    @Test(.timeLimit(.minutes(1))) func `an earlier time wakes who waits, a later one does not`() async {
        let alarm = Alarm()
        let noon = Date(timeIntervalSince1970: 1_800_000_000)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await alarm.wait(until: noon, for: .seconds(3_600)) }
            group.addTask {
                // Whoever comes before it waits has it look at once.
                alarm.set(for: noon.addingTimeInterval(-1))
            }
        }
        // While nobody waits any time counts: whoever looks next may have looked before it was there.
        alarm.set(for: .distantFuture)
        await alarm.wait(until: noon, for: .seconds(3_600))
        // Nothing has rung since.
        await alarm.wait(until: noon, for: .milliseconds(1))
    }

    @Test(.timeLimit(.minutes(1))) func `closing wakes who waits, and cancelling does`() async {
        let alarm = Alarm()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await alarm.wait(until: .distantFuture, for: .seconds(3_600)) }
            group.addTask { alarm.close() }
        }
        #expect(alarm.isClosed)
        let other = Alarm()
        let waiting = Task { await other.wait(until: .distantFuture, for: .seconds(3_600)) }
        waiting.cancel()
        await waiting.value
    }
}
