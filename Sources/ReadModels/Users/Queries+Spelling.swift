import Foundation
import ParleyWire
import Postgres

extension Queries {
    /// As many names are looked at as have most in common with what is asked.
    private static let candidates = 500
    /// The share of a word's trigrams that a name must have: a swap in a word of four letters leaves one of five.
    private static let leastSimilarity = "0.2"

    /// People whose names are spelled much like these words, the likest first.
    func directory(spelledLike name: DirectoryName, where filter: SQL, limit: Int) async throws -> [User] {
        guard let statement = Self.statement(spelledLike: name, where: filter) else { return [] }
        let rows = try await pool.withTransaction { connection in
            // The operator has no other way to learn it.
            _ = try await connection.query(
                "SELECT set_config('pg_trgm.word_similarity_threshold', \(Self.leastSimilarity), true)"
            )
            return try await connection.query(statement)
        }
        var found: [(mistakes: Int, user: User)] = []
        for row in rows {
            let words = DirectoryName(try row.decode("sort_name", as: String.self)).words
            guard let mistakes = Spelling.mistakes(in: name.words, for: words) else { continue }
            found.append((mistakes, try Profile(row).user))
        }
        return found.sorted { $0.mistakes < $1.mistakes }.prefix(limit).map(\.user)
    }

    /// Nil where all words are too short to be told apart from others.
    static func statement(spelledLike name: DirectoryName, where filter: SQL) -> SQL? {
        guard let longest = name.words.max(by: { $0.count < $1.count }), longest.count > 2 else { return nil }
        return """
            SELECT \(UserQuery.columns), u.sort_name FROM read_live.users u
            WHERE \(filter) AND u.sort_name OPERATOR(public.%>) \(longest)
            ORDER BY public.word_similarity(\(longest), u.sort_name) DESC, u.sort_name, u.user_id
            LIMIT \(candidates)
            """
    }
}
