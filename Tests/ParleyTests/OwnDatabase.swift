import Logging
import Postgres
import Testing

/// The database that a server runs for itself, with all rights.
struct OwnDatabase {
    let directory: String

    func execute(_ statement: SQL) async throws {
        _ = try await withConnection { try await $0.execute(statement) }
    }

    func count(_ query: SQL) async throws -> Int {
        try await withConnection { try await $0.query(query).count }
    }

    func withConnection<Result>(_ body: (PostgresConnection) async throws -> Result) async throws -> Result {
        let url = try #require(try await EmbeddedPostgres.runningURL(dataDirectory: directory))
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: url),
            logger: Logger(label: "test")
        )
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }
}
