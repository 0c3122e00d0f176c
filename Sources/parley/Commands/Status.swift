import ArgumentParser
import EventSourcing
import EventStore
import Foundation
import Logging
import Messaging
import Migrations
import Postgres
import Reactors
import ReadModels

/// Shows how the database stands.
struct Status: Command {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the log's positions and how far the read models lag behind.",
        discussion: "Ends with 69 where no server is running."
    )

    @OptionGroup var settings: Configuration

    func execute(logger: Logger) async throws {
        guard let database = try await Database.running(settings) else {
            print("No server is running on \(settings.dataDirectory.value).")
            throw ExitCode(69)
        }
        let configuration = PostgresConfiguration(url: database.migrateURL)
        let pool = PostgresPool(configuration, maxConnections: 1, logger: logger)
        let result: Result<Void, any Error>
        do {
            result = .success(try await show(pool))
        } catch {
            result = .failure(error)
        }
        await pool.close()
        try result.get()
    }

    private func show(_ pool: PostgresPool) async throws {
        let pending = try await pool.withConnection { try await Migrator(files: Migrations.all).pending(on: $0) }
        print("database    reachable")
        print("migrations  \(pending.isEmpty ? "all applied" : "missing: " + pending.joined(separator: ", "))")
        guard pending.isEmpty else { return }
        try await showFormats(pool)
        try await showMail(pool)
        try await showReports(pool)
        try await showReactors(pool)
        let rows = try await pool.query(
            """
            SELECT p.partition, h.head, coalesce(c.position, 0) AS projected,
                (SELECT count(*) FROM read_live.parked k WHERE k.partition = p.partition) AS parked
            FROM parley.log_partitions p
            CROSS JOIN LATERAL (
                SELECT coalesce((
                    SELECT e.position FROM parley.events e WHERE e.partition = p.partition
                    ORDER BY e.position DESC LIMIT 1), 0) AS head
            ) h
            LEFT JOIN read_live.checkpoints c USING (partition)
            ORDER BY p.partition
            """
        )
        print("\npartition        head   projected         lag  parked streams")
        var heads: Int64 = 0
        var lag: Int64 = 0
        for row in rows {
            let (head, projected): (Int64, Int64) = (try row.decode("head"), try row.decode("projected"))
            heads += head
            lag += head - projected
            let columns = [
                pad("\(try row.decode("partition", as: Int.self))", 9), pad("\(head)", 12), pad("\(projected)", 12),
                pad("\(head - projected)", 12), pad("\(try row.decode("parked", as: Int.self))", 16),
            ]
            print(columns.joined())
        }
        print("\n\(heads) events, read models \(lag == 0 ? "up to date" : "\(lag) events behind")")
        try await showFaults(pool)
        for mismatch in try await pool.withConnection({ try await ProjectionVersions.mismatches(on: $0) }) {
            print("VERSION     \(mismatch)")
        }
    }

    private func showFaults(_ pool: PostgresPool) async throws {
        let shares = try await pool.withConnection { try await ProjectionLeases.shares(on: $0) }
        let each = shares.map { "\($0)" }.joined(separator: " + ")
        print(shares.isEmpty ? "projecting  nobody takes part" : "projecting  \(each) partitions")
        let (faults, parked) = try await pool.withConnection { connection in
            (try await PartitionFaults.read(on: connection), try await ParkedStream.read(on: connection))
        }
        for fault in faults {
            print("STOPPED     \(fault), \(fault.attempts) attempts since \(fault.since.ISO8601Format())")
        }
        if !parked.isEmpty { print("PARKED      \(parked.count) streams: see parley parked") }
    }

    private func showFormats(_ pool: PostgresPool) async throws {
        let format = try await LogFormat.read(from: pool)
        let mine = EventCatalog.ofProgram.format
        print("log format  \(format), this program reads up to \(mine)\(format > mine ? ": TOO OLD" : "")")
        for process in try await LivingProcess.all(in: pool) {
            let (start, age) = (process.startedAt.formatted(.iso8601), -process.heartbeatAt.timeIntervalSinceNow)
            print(
                "process     \(process.id.uuidString.lowercased()), version \(process.version), reads up to format "
                    + "\(process.format), since \(start), heartbeat \(Int(max(0, age))) s ago"
            )
        }
    }

    private func showMail(_ pool: PostgresPool) async throws {
        let rows = try await pool.query(
            """
            SELECT count(*) FILTER (WHERE dead_at IS NULL) AS waiting, count(dead_at) AS dead FROM parley.mail_outbox
            """
        )
        guard let row = rows.first else { return }
        let (waiting, dead): (Int, Int) = (try row.decode("waiting"), try row.decode("dead"))
        print("mail        \(waiting) waiting, \(dead) given up")
    }

    private func showReactors(_ pool: PostgresPool) async throws {
        let push = try await PushQueueState.read(on: pool)
        let oldest = push.oldest.map { ", the oldest due for \(Int($0)) s" } ?? ""
        print("push        \(push.waiting) waiting\(oldest)")
        for pause in push.pauses { print("PAUSED      \(pause.origin): \(pause.reason)") }
        try await showWebhooks(pool)
        for (name, lag) in try await LogConsumer.lags(on: pool) where lag > 0 {
            print("reactor     \(name), \(lag) events behind")
        }
    }

    private func showWebhooks(_ pool: PostgresPool) async throws {
        let state = try await WebhookQueueState.read(on: pool)
        let oldest = state.oldest.map { ", the oldest due for \(Int($0)) s" } ?? ""
        print("webhooks    \(state.waiting) conversations waiting\(oldest)")
        for trouble in try await WebhookTrouble.all(on: pool) {
            let since = "\(trouble.webhook.uuidString.lowercased()) since \(trouble.since.ISO8601Format())"
            print(trouble.disabledReason.map { "DISABLED    \(since): \($0)" } ?? "FAILING     \(since)")
        }
    }

    private func showReports(_ pool: PostgresPool) async throws {
        let (count, since) = try await Reports.waiting(in: pool)
        let oldest = since.map { ", the oldest since \($0.ISO8601Format()): see parley reports" } ?? ""
        print("reports     \(count) waiting\(oldest)")
    }

    private func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
