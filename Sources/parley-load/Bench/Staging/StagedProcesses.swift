import Foundation
import Logging
import Postgres

/// Several processes of Parley on a PostgreSQL that none of them owns, as behind a proxy.
struct StagedProcesses: Sendable {
    private static let maxConnections = 300

    /// In the order of their roles.
    let processes: [StagedProcess]
    /// What works with the first of them.
    let subject: Subject
    private let postmaster: Int32

    /// Starts the processes with production settings but for rate limits and the cost of passwords, lends them, ends them, and
    /// removes all that they wrote. The first one serves.
    static func with<Value>(
        _ roles: [StagedProcess.Role],
        for subject: Subject,
        _ body: (StagedProcesses) async throws -> Value
    ) async throws -> Value {
        guard let program = subject.server.own?.program else {
            throw Unmeasurable("starts processes of its own: leave --server out")
        }
        let directory = try TemporaryDirectory(in: subject.server.own?.parent)
        defer { directory.remove() }
        let postgres = try await EmbeddedPostgres.start(
            EmbeddedPostgres.Options(dataDirectory: "\(directory.path)/data", maxConnections: maxConnections),
            logger: Logger(label: "parley-load") { _ in SwiftLogNoOpLogHandler() }
        )
        var processes: [StagedProcess] = []
        let result: Result<Value, any Error>
        do {
            let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
            let environment = ["DATABASE_URL": postgres.url(), "PARLEY_MASTER_KEY": key]
            for role in roles {
                processes.append(try await StagedProcess(role, program: program, environment: environment))
            }
            guard let first = processes.first else { throw Unmeasurable("no process is to be started") }
            let server = MeasuredServer(
                url: first.url,
                address: first.address,
                databaseURL: postgres.url(),
                pid: first.pid
            )
            let staged = StagedProcesses(
                processes: processes,
                subject: subject.at(server),
                postmaster: postgres.postmasterID
            )
            try await server.requireDurability()
            result = .success(try await body(staged))
        } catch {
            result = .failure(error)
        }
        for process in processes { await process.end() }
        await postgres.stop()
        return try result.get()
    }

    /// Seconds of the cores that each process has used, and PostgreSQL for all of them.
    func processorTimes() throws -> (processes: [Double], postgres: Double) {
        (try processes.map { try ProcessorTime.of(process: $0.pid) }, try ProcessorTime.ofFamily(postmaster))
    }
}
