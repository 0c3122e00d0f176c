package import Foundation
import Postgres

extension LogReader {
    /// The conversations in which a person is or ever was, by the log alone: no read model can hide one.
    package func conversations(of person: UUID) async throws -> Set<UUID> {
        let rows = try await pool.query("SELECT c FROM parley.conversations_of(\(person)) c")
        return Set(try rows.map { try $0.decode(0) })
    }
}
