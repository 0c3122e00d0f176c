import Foundation
import Postgres

/// The files of the private PostgreSQL's write-ahead log that hold what was written before.
///
/// A checkpoint renames the files that it needs no more, to write them over later: they keep their old bytes until then. So
/// files that lie ahead are written through, with nothing, and checkpoints remove what lies behind, instead of renaming it.
struct OldLog {
    /// The log's files do not go away: something holds them, such as a replication slot.
    struct FilesStay: Error, CustomStringConvertible {
        var description: String {
            "old files of the write-ahead log stay: is there a replication slot, or wal_keep_size set?"
        }
    }

    private static let attempts = 50

    let connection: PostgresConnection

    /// - Returns: how many files went.
    func remove() async throws -> Int {
        let begin = try await files()
        try await connection.script("ALTER SYSTEM SET wal_recycle = off")
        let result: Result<Void, any Error>
        do {
            try await connection.script("SELECT pg_reload_conf()")
            result = .success(try await removeFiles(upTo: begin.current))
        } catch {
            result = .failure(error)
        }
        try await connection.script("ALTER SYSTEM RESET wal_recycle")
        try await connection.script("SELECT pg_reload_conf()")
        try result.get()
        return begin.count
    }

    /// What is in the log's directory, by name: the names rise.
    private struct Files {
        let current: String
        let oldest: String
        let ahead: Int
        let count: Int
    }

    private func removeFiles(upTo last: String) async throws {
        for _ in 0..<Self.attempts {
            let files = try await files()
            // The newest old file is behind, and none is ahead that was an older one's.
            if files.oldest > last, files.ahead == 0 { return }
            for _ in 0...files.ahead {
                // A record, or there would be nothing to switch from; the rest of the file is filled with nothing.
                try await connection.script("SELECT pg_logical_emit_message(true, 'parley', 'scrub')")
                try await connection.script("SELECT pg_switch_wal()")
            }
            // The first takes notice of the setting at the latest, and the second removes what the first still needed.
            try await connection.script("CHECKPOINT")
            try await connection.script("SELECT pg_logical_emit_message(true, 'parley', 'scrub')")
            try await connection.script("CHECKPOINT")
        }
        throw FilesStay()
    }

    private func files() async throws -> Files {
        let rows = try await connection.query(
            """
            SELECT c.name AS current, coalesce(min(f.name), c.name) AS oldest,
                count(*) FILTER (WHERE f.name > c.name) AS ahead, count(*) AS files
            FROM (SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS name) c
            LEFT JOIN pg_ls_waldir() f ON f.name ~ '^[0-9A-F]{24}$'
            GROUP BY c.name
            """
        )
        guard let row = rows.first else { throw FilesStay() }
        return Files(
            current: try row.decode("current"),
            oldest: try row.decode("oldest"),
            ahead: try row.decode("ahead"),
            count: try row.decode("files")
        )
    }
}
