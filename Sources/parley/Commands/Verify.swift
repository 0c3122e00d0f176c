import ArgumentParser
import Attachments
import EventSourcing
import EventStore
import Identity
import Logging
import Messaging
import Postgres
import ReadModels

/// Checks the log and the read models against each other.
struct Verify: Command {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check the log and the read models for contradictions.",
        discussion: """
            Positions and versions without holes, unread counts against counted ones, heads against messages. Reads \
            everything once, in one snapshot, beside a running server, and whether the master key is the database's. Ends with 1 where something contradicts. A partition \
            that stands still is checked as far as it has come, and named.
            """
    )

    @Flag(help: "Look also at the bytes of all files, and for bytes that are nobody's.")
    var attachments = false

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        let (report, faults) = try await Database.with(settings, logger: logger) { database in
            let pool = PostgresPool(PostgresConfiguration(url: database.url, role: "parley_server"), logger: logger)
            try await LogFormat.check(.ofProgram, in: pool)
            // What it would open nothing with is no key of this database, whatever else holds.
            try await KeyRotation(pool: pool, masterKeys: try MasterKeyFile.load(settings).accounts).check()
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
        let files = attachments ? try await verifyFiles(logger) : nil
        if let files {
            print("  \(files.files) files looked at")
            for finding in files.findings { print("FAILS  \(finding)") }
        }
        guard report.findings.isEmpty, files?.findings.isEmpty ?? true else { throw ExitCode(1) }
        print("all hold")
    }

    private func verifyFiles(_ logger: Logger) async throws -> Attachments.Verified {
        try await Database.with(settings, logger: logger) { database in
            let files = try await OpenFiles.open(settings, on: database, logger: logger)
            let result: Result<Attachments.Verified, any Error>
            do {
                result = .success(try await files.attachments.verify())
            } catch {
                result = .failure(error)
            }
            await files.close()
            return try result.get()
        }
    }
}
