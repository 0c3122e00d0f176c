import API
import EventStore
import ReadModels

/// How far the read models are, as the server says it of itself.
extension Server {
    /// More than this, and what people read is too old.
    private static let longestLag: Int64 = 100_000

    /// Events that only a newer program knows: its processes can serve, and this one is to be drained.
    var newerEvents: Readiness.Check {
        Readiness.Check("projectors") { [checkpoints] in
            let faults = checkpoints.faults.filter(\.isNewer)
            return faults.isEmpty ? nil : faults.map(\.description).joined(separator: "; ")
        }
    }

    /// A partition that stands still is said of as a note, since the others go on: only all of them together keep a server
    /// from being ready.
    var projectors: Readiness.Check {
        Readiness.Check("projectors") { [eventStore, checkpoints] in
            let stopped = Set(checkpoints.faults.map(\.partition))
            let positions = checkpoints.positions
            guard stopped.count < positions.count else { return "all partitions stand still" }
            let lag = zip(eventStore.feed.heads, positions).enumerated().reduce(Int64(0)) { lag, partition in
                stopped.contains(partition.offset) ? lag : lag + max(0, partition.element.0 - partition.element.1)
            }
            return lag > Self.longestLag ? "\(lag) events behind" : nil
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
        Readiness.Check("projectors") { [checkpoints] in
            let faults = checkpoints.faults.filter { !$0.isNewer }
            return faults.isEmpty ? nil : faults.map(\.description).joined(separator: "; ")
        }
    }
}
