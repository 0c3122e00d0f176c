import Foundation
import Postgres

/// How the newest chunks that have what is looked for are found.
enum SearchRoute {
    /// The index says which have it, and the newest of them are taken: for what is rare.
    case index
    /// They are looked at from the newest on, until enough have it: for what is in most of them.
    case newestFirst

    /// What it takes to read a chunk's place, to look at its words, and to find it by the index, in microseconds. Measured
    /// with 31,400 chunks of 390 lexemes on PostgreSQL 15; only how they are to each other counts.
    private static let placeCost = 1.0
    private static let wordsCost = 8.0
    private static let indexCost = 1.3
    /// With so few chunks, either takes a few milliseconds.
    private static let fewChunks: Int64 = 1_000

    /// The one that takes less, as far as PostgreSQL knows how common the words are: left to itself it does not count what it
    /// takes to look at words that are stored apart.
    ///
    /// - Parameter needed: how many chunks are to be found.
    static func choose(
        for groups: [Set<String>],
        _ access: SearchAccess,
        _ needed: Int,
        on connection: PostgresConnection
    ) async throws -> SearchRoute {
        let chunks = access.histories.values.reduce(Int64(0)) { $0 + ($1.ceiling - $1.floor) / SearchChunk.size }
        guard chunks > fewChunks, let estimate = try await Estimate.read(of: groups, on: connection) else {
            return .index
        }
        let examined = min(Double(chunks), Double(needed) / estimate.share)
        let inOrder = placeCost * Double(chunks) + wordsCost * examined
        return inOrder < indexCost * estimate.chunks ? .newestFirst : .index
    }

    /// How many chunks have what is looked for, of everybody's.
    private struct Estimate {
        let chunks: Double
        let share: Double

        /// Nil where PostgreSQL has not looked yet at what is in the table.
        static func read(of groups: [Set<String>], on connection: PostgresConnection) async throws -> Estimate? {
            let all = try await connection.query(
                "SELECT c.reltuples::float8 FROM pg_class c WHERE c.oid = 'read_live.search_chunks'::regclass"
            )
            guard let all = try all.first?.decode(0, as: Double.self), all > 0 else { return nil }
            let rows = try await connection.query(
                """
                EXPLAIN (FORMAT JSON) SELECT FROM read_live.search_chunks k
                WHERE k.words @@ \(SearchText.query(groups))::text::tsquery
                """
            )
            guard let text = try rows.first?.decode(0, as: String.self),
                let plan = try JSONDecoder().decode([Explained].self, from: Data(text.utf8)).first?.plan
            else { return nil }
            let chunks = max(1, plan.rows)
            return Estimate(chunks: chunks, share: min(1, chunks / all))
        }
    }

    private struct Explained: Decodable {
        let plan: Plan

        struct Plan: Decodable {
            let rows: Double
            enum CodingKeys: String, CodingKey { case rows = "Plan Rows" }
        }

        enum CodingKeys: String, CodingKey { case plan = "Plan" }
    }
}
