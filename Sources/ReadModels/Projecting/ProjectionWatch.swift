import CoreMetrics
package import EventStore
import Foundation
import Postgres
import ServiceLifecycle

/// Records in metrics how old the read models are, what is parked, and how many partitions this process projects.
///
/// Every process records it, also one that projects nothing: a partition that nobody projects has no worker that could.
package struct ProjectionWatch: Service {
    private static let interval = Duration.seconds(2)
    /// Nothing is parked without a partition's going on; what an operator has taken back is seen after so long.
    private static let longestCounted = Duration.seconds(30)

    private let eventStore: EventStore
    private let checkpoints: Checkpoints
    /// Nil where this process projects nothing.
    private let leases: ProjectionLeases?

    package init(_ eventStore: EventStore, _ checkpoints: Checkpoints, leases: ProjectionLeases?) {
        ProjectionMetrics.begin()
        self.eventStore = eventStore
        self.checkpoints = checkpoints
        self.leases = leases
    }

    /// How far the read models were when it was last counted what is parked, and when that was.
    private struct Count {
        var positions: [Int64] = []
        var time: ContinuousClock.Instant?

        func isOutdated(at positions: [Int64]) -> Bool {
            guard let time, self.positions == positions else { return true }
            return ContinuousClock.now - time >= ProjectionWatch.longestCounted
        }
    }

    private func record(_ last: inout Count) async throws {
        ProjectionMetrics.leases.record(leases?.held.count ?? 0)
        ProjectionMetrics.age.record(try await age(at: Date()))
        // Before the count: what is parked meanwhile is counted with the next turn.
        let positions = checkpoints.positions
        guard last.isOutdated(at: positions) else { return }
        let rows = try await eventStore.pool.query("SELECT count(*) AS parked FROM read_live.parked")
        ProjectionMetrics.parkedStreams.record(try rows.first?.decode("parked", as: Int.self) ?? 0)
        last = Count(positions: positions, time: .now)
    }

    /// How long the oldest event has waited that the read models do not show, in seconds; 0 where they show all.
    private func age(at now: Date) async throws -> Double {
        let waiting = zip(eventStore.feed.heads, checkpoints.positions).enumerated().compactMap { partition, places in
            let (head, position) = places
            return head > position ? (partition, position + 1) : nil
        }
        let times = try await eventStore.log.times(of: waiting)
        return times.compactMap { $0 }.min().map { max(0, now.timeIntervalSince($0)) } ?? 0
    }

    /// Records until cancelled or shut down gracefully.
    package func run() async {
        await cancelWhenGracefulShutdown {
            var count = Count()
            while !Task.isCancelled {
                // A database that is away is met by everyone who asks it; here the next turn tries again.
                try? await record(&count)
                // Ends early only by cancellation, which the loop looks at.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}
