import ArgumentParser
import EventSourcing
import EventStore
import Logging
import Messaging
import Postgres
import ReadModels

/// Checks the log and the read models against each other.
struct Verify: Command {
    static let configuration = CommandConfiguration(
        abstract: "Check the log and the read models for contradictions.",
        discussion: """
            Positions and versions without holes, unread counts against counted ones, heads against messages. Reads \
            everything once, in one snapshot, beside a running server. Ends with 1 where something contradicts. A partition \
            that stands still is checked as far as it has come, and named.
            """
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        let (report, faults) = try await Database.with(settings, logger: logger) { database in
            let pool = PostgresPool(PostgresConfiguration(url: database.url, role: "parley_server"), logger: logger)
            try await LogFormat.check(.messaging, in: pool)
            let partitions = try await LogIdentity.read(from: pool).partitions
            let report = try await Verification(pool: pool, partitions: partitions).run()
            let faults = try await pool.withConnection { try await PartitionFaults.read(on: $0) }
            await pool.close()
            return (report, faults)
        }
        let events = report.positions.reduce(0, +)
        print("\(report.checks) rules checked on \(events) projected events:")
        for table in report.digests { print("  \(table.table.rawValue): \(table.rows) rows, digest \(table.digest)") }
        for fault in faults { print("STOPPED  \(fault)") }
        for finding in report.findings { print("FAILS  \(finding)") }
        guard report.findings.isEmpty else { throw ExitCode(1) }
        print("all hold")
    }
}
