package import Foundation
import Postgres

/// Who may see whether others are there: who shares a conversation with them, where neither blocks the other, unless they
/// show nobody. The one place that decides it.
extension Queries {
    /// Of so many newest conversations the direct ones say whom a person is told of without asking: a first page.
    private static let firstPage = 50

    /// One whom somebody wants to be told of.
    package struct PresenceTarget: Sendable, Equatable {
        package let person: UUID
        package let isShown: Bool
        /// When the person was last seen, as far as it is stored; nil where the person is not shown.
        package let lastSeen: Date?
    }

    /// Whom these sessions are told of: those whom they asked for, and the partners of the direct conversations on the first
    /// page.
    ///
    /// - Returns: by the place of the session among those given.
    package func presenceTargets(
        of viewers: [(person: UUID, session: UUID)]
    ) async throws -> [[PresenceTarget]] {
        var targets = [[PresenceTarget]](repeating: [], count: viewers.count)
        for row in try await pool.query(Self.presenceTargets(of: viewers)) {
            let place = try row.decode("n", as: Int64.self) - 1
            guard targets.indices.contains(Int(place)) else { continue }
            targets[Int(place)].append(try PresenceTarget(row))
        }
        return targets
    }

    /// Those of some people whose presence a person may see, with when they were last seen, as far as it is stored.
    package func shownPresences(of people: [UUID], to person: UUID) async throws -> [UUID: Date?] {
        guard !people.isEmpty else { return [:] }
        var shown: [UUID: Date?] = [:]
        for row in try await pool.query(Self.shownPresences(of: people, to: person)) {
            let target = try PresenceTarget(row)
            if target.isShown { shown.updateValue(target.lastSeen, forKey: target.person) }
        }
        return shown
    }

    // MARK: Statements

    static func presenceTargets(of viewers: [(person: UUID, session: UUID)]) -> SQL {
        """
        WITH viewers AS (
            SELECT * FROM unnest(\(viewers.map(\.person)), \(viewers.map(\.session)))
                WITH ORDINALITY AS v (person, session, n)
        ), targets AS (
            SELECT v.n, v.person AS viewer, t.target
            FROM viewers v
            JOIN parley.presence_subscriptions p ON p.session_id = v.session
            CROSS JOIN LATERAL unnest(p.person_ids) AS t (target)
            UNION
            SELECT v.n, v.person, o.user_id
            FROM viewers v
            CROSS JOIN LATERAL (
                SELECT m.conversation_id, c.kind
                FROM read_live.memberships m
                JOIN read_live.conversations c ON c.conversation_id = m.conversation_id
                WHERE m.user_id = v.person AND m.to_position IS NULL
                    AND (m.cleared_seq IS NULL OR c.head_seq > m.cleared_seq)
                ORDER BY c.activity_at DESC, c.conversation_id DESC
                LIMIT \(firstPage)
            ) f
            JOIN read_live.memberships o ON o.conversation_id = f.conversation_id AND o.to_position IS NULL
                AND o.user_id <> v.person
            WHERE f.kind = 'direct'
        )
        SELECT t.n, t.target, s.last_seen, s.target IS NOT NULL AS is_shown
        FROM targets t
        LEFT JOIN LATERAL (\(shown("t.target", to: "t.viewer"))) s ON true
        """
    }

    static func shownPresences(of people: [UUID], to person: UUID) -> SQL {
        """
        SELECT s.target, s.last_seen, true AS is_shown
        FROM unnest(\(people)) AS w (target)
        CROSS JOIN LATERAL (\(shown("w.target", to: "\(person)::uuid"))) s
        """
    }

    /// One row where a person is shown to another, or to oneself.
    private static func shown(_ target: SQL, to viewer: SQL) -> SQL {
        """
        SELECT u.user_id AS target, (SELECT l.seen_at FROM parley.last_seen l WHERE l.person_id = u.user_id) AS last_seen
        FROM read_live.users u
        WHERE u.user_id = \(target) AND NOT u.erased AND NOT u.deactivated AND (u.user_id = \(viewer) OR u.show_presence
            AND EXISTS (
                SELECT FROM read_live.memberships theirs
                JOIN read_live.memberships mine ON mine.conversation_id = theirs.conversation_id
                    AND mine.user_id = \(viewer) AND mine.to_position IS NULL
                WHERE theirs.user_id = u.user_id AND theirs.to_position IS NULL)
            AND NOT EXISTS (
                SELECT FROM read_live.blocks b
                WHERE b.user_id = u.user_id AND b.blocked_id = \(viewer) AND b.blocked_at IS NOT NULL)
            AND NOT EXISTS (
                SELECT FROM read_live.blocks b
                WHERE b.user_id = \(viewer) AND b.blocked_id = u.user_id AND b.blocked_at IS NOT NULL))
        LIMIT 1
        """
    }
}

extension Queries.PresenceTarget {
    fileprivate init(_ row: Row) throws {
        let isShown: Bool = try row.decode("is_shown")
        self.init(
            person: try row.decode("target"),
            isShown: isShown,
            lastSeen: isShown ? try row.decode("last_seen") : nil
        )
    }
}
