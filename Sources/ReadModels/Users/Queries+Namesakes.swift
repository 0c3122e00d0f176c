import Confusables
package import Foundation
package import ParleyWire
import Postgres

/// Whose names are taken for those of others: for warnings, which refuse nothing.
extension Queries {
    /// So many warnings at most.
    static let mostWarnings = 20
    /// So many people are looked at for each way to be alike, the oldest accounts first: some names are borne by thousands.
    private static let mostNamesakes = 500

    /// Who of these people is taken for another of them, of two the newer account; nil where nobody is. It takes as long
    /// as the list is.
    package func warnings(among people: [UUID]) async throws -> [Warning]? {
        try await warnings(Self.namesakes(among: people))
    }

    /// The members of a conversation for whom another member is taken; nil where there are none.
    package func warnings(of newcomer: UUID, in conversation: UUID) async throws -> [Warning]? {
        try await warnings(Self.namesakes(of: newcomer, in: conversation))
    }

    /// The members of a person's groups for whom the person is taken by a new name; nil where there are none.
    package func warnings(of person: UUID, called name: String) async throws -> [Warning]? {
        try await warnings(Self.namesakes(of: person, called: name))
    }

    private func warnings(_ namesakes: SQL) async throws -> [Warning]? {
        let warnings = try await pool.query(namesakes).map { row in
            Warning(
                code: .confusableName,
                userId: WireID(try row.decode("user_id")),
                similarTo: WireID(try row.decode("similar_to"))
            )
        }
        return warnings.isEmpty ? nil : warnings
    }

    // MARK: Statements

    static func namesakes(among people: [UUID]) -> SQL {
        """
        SELECT n.user_id, CASE WHEN n.first_look <> n.user_id THEN n.first_look ELSE n.first_letters END AS similar_to
        FROM (
            SELECT u.user_id,
                first_value(u.user_id) OVER (PARTITION BY u.name_look ORDER BY u.user_id) AS first_look,
                first_value(u.user_id) OVER (PARTITION BY u.name_letters ORDER BY u.user_id) AS first_letters
            FROM read_live.users u
            WHERE u.user_id = ANY (\(people)) AND u.name_look IS NOT NULL
        ) n
        WHERE n.first_look <> n.user_id OR n.first_letters <> n.user_id
        ORDER BY n.user_id
        LIMIT \(mostWarnings)
        """
    }

    static func namesakes(of newcomer: UUID, in conversation: UUID) -> SQL {
        namesakes(
            of: newcomer,
            named: "SELECT u.name_look, u.name_letters FROM read_live.users u WHERE u.user_id = \(newcomer)",
            where: """
                EXISTS (
                    SELECT FROM read_live.memberships m
                    WHERE m.conversation_id = \(conversation) AND m.user_id = o.user_id AND m.to_position IS NULL)
                """
        )
    }

    static func namesakes(of person: UUID, called name: String) -> SQL {
        let skeleton = NameSkeleton(name)
        return namesakes(
            of: person,
            named: "SELECT \(skeleton.appearance)::text AS name_look, \(skeleton.letters)::text AS name_letters",
            where: """
                EXISTS (
                    SELECT FROM read_live.memberships theirs
                    JOIN read_live.memberships mine ON mine.conversation_id = theirs.conversation_id
                        AND mine.user_id = \(person) AND mine.to_position IS NULL
                    JOIN read_live.conversations c ON c.conversation_id = theirs.conversation_id AND c.kind = 'group'
                    WHERE theirs.user_id = o.user_id AND theirs.to_position IS NULL)
                """
        )
    }

    private static func namesakes(of person: UUID, named: SQL, where condition: SQL) -> SQL {
        """
        SELECT \(person)::uuid AS user_id, o.user_id AS similar_to
        FROM (\(named)) n
        CROSS JOIN LATERAL (
            (SELECT u.user_id FROM read_live.users u WHERE u.name_look = n.name_look
                ORDER BY u.user_id LIMIT \(mostNamesakes))
            UNION
            (SELECT u.user_id FROM read_live.users u WHERE u.name_letters = n.name_letters
                ORDER BY u.user_id LIMIT \(mostNamesakes))
        ) o
        WHERE o.user_id <> \(person) AND \(condition)
        ORDER BY o.user_id
        LIMIT \(mostWarnings)
        """
    }
}
