import Postgres

/// What a group was when a membership of it ended, from what its history tells of changes: a former member sees nothing that
/// became of the group since.
enum GroupAsLeft {
    /// A query for what newcomers were shown of the history when the membership `m` ended; nothing where that is not known.
    static let historyVisibility: SQL = """
        SELECT s.details ->> 'historyVisibility' FROM read_live.system_messages s
        WHERE s.conversation_id = m.conversation_id AND s.position < m.to_position
            AND s.kind IN ('groupCreated', 'groupUpdated') AND s.details ->> 'historyVisibility' IS NOT NULL
        ORDER BY s.position DESC LIMIT 1
        """
}
