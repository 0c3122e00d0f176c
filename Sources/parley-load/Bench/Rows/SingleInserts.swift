import Foundation
import Postgres

/// `pgbench` on the server's own PostgreSQL: single-row inserts by 32 clients into one flat table with the columns and
/// the indexes of the log, rows like the last message's.
struct SingleInserts: Sendable {
    private static let schema = "parley_bench"
    private static let clients = 32

    private let subject: Subject
    private let directory: TemporaryDirectory
    private var script: String { "\(directory.path)/insert.sql" }

    /// Makes the table, from the catalog, and the statement, from a row of the log.
    static func make(_ subject: Subject) async throws -> SingleInserts {
        let inserts = SingleInserts(subject: subject, directory: try TemporaryDirectory())
        let text = try await subject.server.withDatabase { connection in
            try await connection.script(
                """
                DROP SCHEMA IF EXISTS parley_bench CASCADE;
                CREATE SCHEMA parley_bench;
                CREATE TABLE parley_bench.events (LIKE parley.events INCLUDING ALL);
                """
            )
            return try await statement(connection)
        }
        try text.write(toFile: inserts.script, atomically: true, encoding: .utf8)
        return inserts
    }

    /// Inserts per second.
    func run(_ phase: String, seconds: Int) async throws -> Double {
        try await subject.server.withDatabase { try await $0.script("TRUNCATE parley_bench.events; CHECKPOINT") }
        let output = try await subject.progress.follow(phase, lasting: .seconds(seconds)) {
            try await subject.server.pgbench([
                "--no-vacuum", "--client=\(Self.clients)", "--jobs=2", "--protocol=prepared", "--time=\(seconds)",
                "--define=n=0", "--file=\(script)",
            ])
        }
        guard let rate = Self.rate(in: output) else {
            throw Unmeasurable("pgbench said no rate: \(output.suffix(200))")
        }
        return rate
    }

    func remove() async throws {
        try await subject.server.withDatabase { try await $0.script("DROP SCHEMA IF EXISTS parley_bench CASCADE") }
        directory.remove()
    }

    /// `tps = 13200.123456 (without initial connection time)`
    static func rate(in output: String) -> Double? {
        output.split(separator: "\n").last { $0.hasPrefix("tps = ") }
            .flatMap { $0.split(separator: " ").dropFirst(2).first }
            .flatMap { Double($0) }
    }

    /// Each client has a stream and a partition of its own, and counts: as cheap for the indexes as inserts can be.
    private static func statement(_ connection: PostgresConnection) async throws -> String {
        let names = try await connection.query(
            """
            SELECT attname::text FROM pg_attribute
            WHERE attrelid = 'parley.events'::regclass AND attnum > 0 AND NOT attisdropped
            ORDER BY attnum
            """
        ).map { try $0.decode(0, as: String.self) }
        let columns = names.map { "\(identifier: $0)" as SQL }
        let texts = columns.map { "\($0)::text" as SQL }.joined(separator: ", ")
        let rows = try await connection.query(
            """
            SELECT ARRAY[\(texts)] FROM parley.events WHERE type = 'messageSent' ORDER BY recorded_at DESC LIMIT 1
            """
        )
        guard let row = try rows.first?.decode(0, as: [String?].self) else {
            throw Unmeasurable("the log holds no message to take a row from")
        }
        let fresh = "lpad(to_hex(:client_id * 1000000000::bigint + :n), 32, '0')::uuid"
        let counted = [
            "position": ":n", "version": ":n", "partition": ":client_id", "recorded_at": "now()", "command_id": fresh,
            "stream_id": "lpad(to_hex(:client_id::int), 32, '0')::uuid",
        ]
        let values = zip(names, row).map { name, text in
            if name == "subject", text != nil { return fresh }
            return counted[name] ?? text.map(literal) ?? "NULL"
        }
        return """
            \\set n :n + 1
            INSERT INTO parley_bench.events (\(columns.joined(separator: ", ").text))
            VALUES (\(values.joined(separator: ", ")));

            """
    }

    /// A text as a literal in which pgbench, which takes any `:name` for a variable, finds none.
    static func literal(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "''").replacing(":", with: "\\x3A")
        return "E'\(escaped)'"
    }
}
