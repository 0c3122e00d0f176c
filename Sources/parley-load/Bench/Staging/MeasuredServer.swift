import Foundation
import Logging
import Postgres

/// The server under measurement, and what of it can be reached from here.
struct MeasuredServer: Sendable {
    /// What only a server started here has.
    struct Own: Sendable {
        let program: String
        let dataDirectory: String
        /// Where directories for measurements are made; the system's place for such where nil.
        let parent: String?
    }

    let url: String
    let address: ServerAddress
    let databaseURL: String?
    let pid: Int32?
    var own: Own?

    /// Lends a connection to the server's PostgreSQL, with the rights of the account in its URL.
    func withDatabase<Value>(_ body: (PostgresConnection) async throws -> Value) async throws -> Value {
        guard let databaseURL else { throw Unmeasurable("needs the server's PostgreSQL: --database-url or --data-dir") }
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: databaseURL, applicationName: "parley-load"),
            logger: Logger(label: "parley-load") { _ in SwiftLogNoOpLogHandler() }
        )
        return try await withEnding {
            try await body(connection)
        } ending: {
            await connection.close()
        }
    }

    /// - Throws: ``Unmeasurable`` where PostgreSQL is set to lose what it has confirmed, or cannot be asked.
    func requireDurability() async throws {
        let durability = try await withDatabase { try await Durability.read($0) }
        guard durability.weaknesses.isEmpty else {
            throw Unmeasurable("not as durable as in production: \(durability.weaknesses.joined(separator: ", "))")
        }
    }

    /// Events that the read models hold.
    func projectedEvents() async throws -> Int {
        try await withDatabase { connection in
            let rows = try await connection.query(
                "SELECT coalesce(sum(position), 0)::bigint FROM read_live.checkpoints"
            )
            return Int(clamping: try rows.first?.decode(0, as: Int64.self) ?? 0)
        }
    }

    /// Runs a load, and asks the database whether the read models do hold all that was answered.
    func proving(_ what: String, _ load: () async throws -> LoadResult) async throws -> LoadResult {
        let before = try await projectedEvents()
        let result = try await load()
        let projected = try await projectedEvents() - before
        guard projected >= result.answered else {
            let answer = "\(result.answered) answers, but only \(projected) events are projected"
            throw APIFailure.unexpected(request: what, answer: answer)
        }
        return result
    }

    /// Runs a body while another transaction, which has read, holds its snapshot.
    func withHeldSnapshot<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await withDatabase { connection in
            try await connection.withTransaction(.repeatableRead) { connection in
                try await connection.execute("SELECT count(*) FROM (SELECT FROM parley.events LIMIT 1) AS read")
                return try await body()
            }
        }
    }

    /// Runs `pgbench` on the server's database.
    func pgbench(_ arguments: [String]) async throws -> String {
        guard let databaseURL else { throw Unmeasurable("needs the server's PostgreSQL: --database-url or --data-dir") }
        let program = try await PostgresInstallation.find(setting: nil, requiredVersion: nil).program("pgbench")
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Unmeasurable("\(program) is not installed (Debian: package postgresql)")
        }
        // A service file, because others can see a program's arguments, and a URL may hold a password.
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = "\(directory.path)/service"
        let service = try PostgresConfiguration(url: databaseURL, applicationName: "pgbench").serviceFile(
            named: "bench"
        )
        try FileDescriptor.replace(file, with: service, mode: 0o600)
        return try await LoadProcess.run(
            [program] + arguments + ["service=bench"],
            environment: ["PGSERVICEFILE": file, "LC_ALL": "C"]
        )
    }
}
