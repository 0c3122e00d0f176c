import API
import EventStore
import Foundation
import Postgres
import ReadModels

/// How far the read models are, as the server says it of itself.
extension Server {
    /// Older than this, and what people read is too old.
    private static let longestLag: Duration = .seconds(30)
    /// So many partitions are named.
    private static let maxNamed = 4

    /// Events that only a newer program knows: its processes can serve, and this one is to be drained.
    var newerEvents: Readiness.Check {
        Readiness.Check("projectors") { [checkpoints = projecting.checkpoints] in
            let faults = checkpoints.faults.filter(\.isNewer)
            return faults.isEmpty ? nil : faults.map(\.description).joined(separator: "; ")
        }
    }

    /// A partition that stands still is said of as a note, since the others go on: only all of them together keep a server
    /// from being ready. One that does not, and has an event waiting for long, has a projector that is dead or too slow:
    /// how many events wait says nothing of that.
    var projectors: Readiness.Check {
        Readiness.Check("projectors") { [eventStore, checkpoints = projecting.checkpoints] in
            let stopped = Set(checkpoints.faults.map(\.partition))
            let positions = checkpoints.positions
            guard stopped.count < positions.count else { return "all partitions stand still" }
            let waiting = zip(eventStore.feed.heads, positions).enumerated().compactMap { partition, places in
                let (head, position) = places
                return head > position && !stopped.contains(partition) ? (partition, position + 1) : nil
            }
            // Without a database there is another reason not to be ready.
            guard let times = try? await eventStore.log.times(of: waiting) else { return nil }
            return Lag.description(
                of: zip(waiting.map(\.0), times).map { Lag(partition: $0, since: $1) },
                longerThan: Self.longestLag,
                at: Date(),
                naming: Self.maxNamed
            )
        }
    }

    /// Streams whose events a read model cannot take: what is read of them is not whole.
    var parkedStreams: Readiness.Check {
        Readiness.Check("read models") { [pool] in
            guard let rows = try? await pool.query("SELECT count(*) AS parked FROM read_live.parked"),
                let parked = try? rows.first?.decode("parked", as: Int.self), parked > 0
            else { return nil }
            return "\(parked) streams are parked (parley parked)"
        }
    }

    /// What is read is as old as its projection, and nothing else is wrong.
    var mismatches: Readiness.Check {
        Readiness.Check("read models") { [versions] in
            let mismatches = versions.mismatches
            return mismatches.isEmpty ? nil : mismatches.map(\.description).joined(separator: "; ")
        }
    }

    var stoppedPartitions: Readiness.Check {
        Readiness.Check("projectors") { [checkpoints = projecting.checkpoints] in
            let faults = checkpoints.faults.filter { !$0.isNewer }
            return faults.isEmpty ? nil : faults.map(\.description).joined(separator: "; ")
        }
    }
}
