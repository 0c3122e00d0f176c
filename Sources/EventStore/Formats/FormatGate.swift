import CoreMetrics
package import Foundation
package import Logging
package import Postgres
import Synchronization

/// Lets events of a new format into the log only when every living process can read them.
///
/// Each server process registers, says which format it reads, and shows by a heartbeat that it lives. The log remembers
/// the highest format that was opened: a program of a lower one is refused when it registers, and one that was taken for
/// dead and is not finds out with its next heartbeat, and must end.
package final class FormatGate: Sendable {
    /// A few of these may be late before the others take the process for dead (`parley.process_lifetime`).
    private static let heartbeat = Duration.seconds(3)

    /// Which process this is, among those that are registered.
    package let process = UUID()
    private let format: Int
    private let version: String
    private let pool: PostgresPool
    private let logger: Logger
    /// The format that the log is known to have; in a new epoch the log may be one of a lower format, as of a standby that
    /// was promoted before it had heard of it.
    private let opened: EpochMemory<Int>
    private let others = Atomic(0)

    /// - Parameters:
    ///   - format: the highest that this program reads.
    ///   - version: that of the program, for people who look at the processes.
    ///   - epoch: nil where the log stays what it is.
    package init(format: Int, version: String, pool: PostgresPool, epoch: LogEpoch? = nil, logger: Logger) {
        self.format = format
        self.version = version
        self.pool = pool
        self.logger = logger
        opened = EpochMemory(epoch) { LogFormat.base }
    }

    /// Whether no other process was registered when this one last showed that it lives. Asks nobody.
    package var isAlone: Bool { others.load(ordering: .relaxed) == 0 }

    /// Another process was heard of: this one is not alone, until it counts them again.
    package func noteOther() {
        if isAlone { others.store(1, ordering: .relaxed) }
    }

    /// Whether events of this format may be written: the log is known to have it. Asks nobody.
    package func isOpen(for format: Int) -> Bool {
        format <= opened.withLock { $0 }
    }

    /// Whether events of this format may be written: where every living process reads it, the log has it from now on.
    package func open(for format: Int) async throws -> Bool {
        if isOpen(for: format) { return true }
        let generation = opened.generation
        let rows = try await pool.query("SELECT parley.open_format(\(Int32(clamping: format)))")
        guard let row = rows.first, try row.decode(0, as: Bool.self) else {
            EventStoreMetrics.formatRefusals.increment()
            return false
        }
        note(format, in: generation)
        return true
    }

    /// Registers the process, or shows that it lives.
    ///
    /// - Throws: ``NewerLog`` where the log is of a format beyond this program's.
    package func beat() async throws {
        let generation = opened.generation
        let rows = try await pool.query(
            """
            SELECT parley.keep_process(\(process), \(version), \(Int32(clamping: format))),
                (SELECT count(*) FROM parley.processes WHERE process_id <> \(process))
            """
        )
        guard let row = rows.first else { throw LogError.notCreated }
        let found = try row.decode(0, as: Int.self)
        others.store(try row.decode(1, as: Int.self), ordering: .relaxed)
        guard found <= format else { throw NewerLog(format: found, readable: format) }
        note(found, in: generation)
    }

    /// Shows that the process lives, until cancelled.
    ///
    /// - Throws: ``NewerLog`` as soon as the log is of a format beyond this program's, which must end then.
    package func run() async throws {
        var failures = 0
        while !Task.isCancelled {
            do {
                try await beat()
                failures = 0
            } catch let error as NewerLog {
                throw error
            } catch {
                failures += 1
                if failures == 1, !Task.isCancelled {
                    logger.warning("a heartbeat failed and is tried again", metadata: ["error": "\(error)"])
                }
            }
            // Ends early only by cancellation, which the loop looks at.
            try? await Task.sleep(for: Self.heartbeat)
        }
    }

    /// Takes the process out, so that nobody waits for its heart to stop.
    package func leave() async {
        do {
            try await pool.execute("SELECT parley.end_process(\(process))")
        } catch {
            // The others find out by themselves, a little later.
            logger.debug("the process could not take itself out", metadata: ["error": "\(error)"])
        }
    }

    /// Remembers a format that the log was found to have, which only ever rises within an epoch.
    private func note(_ format: Int, in generation: Int) {
        opened.withLock(of: generation) { opened in
            opened = max(opened, format)
            EventStoreMetrics.logFormat.record(opened)
        }
    }
}
