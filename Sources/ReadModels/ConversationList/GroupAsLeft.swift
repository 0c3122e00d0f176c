import Foundation
import ParleyWire
import Postgres

/// What a group was when a membership of it ended, from what its history tells of changes: a former member sees nothing that
/// became of the group since.
enum GroupAsLeft {
    /// Makes each conversation whose membership has ended what it was then.
    static func restore(_ rows: inout [ConversationRow], on connection: PostgresConnection) async throws {
        let left = rows.enumerated().compactMap { place, row in
            row.toPosition.map { End(place: Int64(place), conversation: row.id, position: $0) }
        }
        guard !left.isEmpty else { return }
        for row in try await connection.query(statement(for: left)) {
            let place: Int = try row.decode("place")
            guard rows.indices.contains(place) else { continue }
            try rows[place].restore(from: row)
        }
    }

    /// Where a membership ended, and which of the rows shows it.
    struct End {
        let place: Int64
        let conversation: UUID
        let position: Int64
    }

    static func statement(for left: [End]) -> SQL {
        """
        SELECT m.place, (\(groupName)) AS group_name, (\(historyVisibility)) AS history_visibility,
            (\(newest("s.group_icon", where: "s.details ->> 'setsIcon' = 'true'"))) AS group_icon,
            (\(newest("s.details ->> 'joinPolicy'", where: "s.details ->> 'joinPolicy' IS NOT NULL"))) AS join_policy,
            (\(newest("(s.details ->> 'retention')::int", where: "s.details ->> 'setsRetention' = 'true'"))) AS retention,
            (\(newest("(s.details ->> 'slowMode')::int", where: "s.details ->> 'setsSlowMode' = 'true'"))) AS slow_mode,
            \(permission("'send'", now: "c.send_by")) AS send_by,
            \(permission("'addMembers'", now: "c.add_members_by")) AS add_members_by,
            \(permission("'changeInfo'", now: "c.change_info_by")) AS change_info_by,
            \(permission("'pin'", now: "c.pin_by")) AS pin_by
        FROM unnest(\(left.map(\.conversation)), \(left.map(\.position)), \(left.map(\.place)))
            AS m (conversation_id, to_position, place)
        CROSS JOIN LATERAL (\(NewestVersion.ofConversation("m.conversation_id"))) c
        """
    }

    // MARK: Of a membership `m` that has ended

    /// A query for what newcomers were shown of the history; nothing where that is not known.
    static let historyVisibility = newest(
        "s.details ->> 'historyVisibility'",
        where: "s.details ->> 'historyVisibility' IS NOT NULL"
    )

    /// A query for the name; nothing, too, once whoever gave it is erased.
    static let groupName = newest("s.group_name", where: "s.details ->> 'setsName' = 'true'")

    private static func newest(_ value: SQL, where isKnown: SQL) -> SQL {
        """
        SELECT \(value) FROM read_live.system_messages s
        WHERE s.conversation_id = m.conversation_id AND s.position < m.to_position AND \(isChange) AND \(isKnown)
        ORDER BY s.position DESC LIMIT 1
        """
    }

    /// What a group starts with is told by no message: it is what holds now where nothing was chosen since, and else taken to
    /// be the standard.
    private static func permission(_ name: SQL, now: SQL) -> SQL {
        let chosen: SQL = "s.details -> 'permissions' ->> \(name)"
        let isChosen: SQL = "\(chosen) IS NOT NULL"
        return """
            CASE WHEN EXISTS (
                SELECT FROM read_live.system_messages s
                WHERE s.conversation_id = m.conversation_id AND s.position > m.to_position AND \(isChange) AND \(isChosen))
            THEN (\(newest(chosen, where: isChosen))) ELSE \(now) END
            """
    }

    /// As the index has it.
    private static let isChange: SQL = "s.kind IN ('groupCreated', 'groupUpdated', 'retentionChanged')"

    // MARK: Of whoever else was there

    /// A query for the role that the membership `m` had at a position, and since when, where it has got another one since;
    /// nothing where it had the first one.
    static func role(at position: SQL) -> SQL {
        """
        SELECT s.details ->> 'role' AS role, s.position FROM read_live.system_messages s
        WHERE m.changed_position > \(position) AND s.conversation_id = m.conversation_id
            AND s.kind = 'participantRoleChanged' AND s.user_ids[1] = m.user_id
            AND s.position > m.from_position AND s.position < \(position)
        ORDER BY s.position DESC LIMIT 1
        """
    }

    /// A query for the role with which the membership `m` began; nothing for a simple member.
    static let firstRole: SQL = """
        SELECT CASE WHEN s.kind <> 'groupCreated' THEN s.details ->> 'role' WHEN s.actor_id = m.user_id THEN 'owner' END
        FROM read_live.system_messages s
        WHERE s.conversation_id = m.conversation_id AND s.after_seq = m.from_seq AND s.position = m.from_position
        """
}

extension ConversationRow {
    /// Who was there is read apart.
    fileprivate mutating func restore(from row: Row) throws {
        conversation.groupName = try row.decode("group_name")
        conversation.groupIcon = try row.decode("group_icon")
        conversation.joinPolicy = try row.decode("join_policy", as: String?.self).map(GroupJoinPolicy.init)
        conversation.historyVisibility =
            try row.decode("history_visibility", as: String?.self).map(GroupHistoryVisibility.init)
        conversation.retentionSeconds = try row.decode("retention")
        conversation.slowModeSeconds = try row.decode("slow_mode", as: Int?.self) ?? 0
        conversation.permissions = try Self.permissions(row)
    }
}
