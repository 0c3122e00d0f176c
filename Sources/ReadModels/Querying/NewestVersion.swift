import Postgres

/// Rows that many events change, each found by its newest version.
///
/// Their keys end with what every change raises (migration 0320), so the newest version is the last of its index entries:
/// nobody has to pass the old ones that a held snapshot keeps. Nothing else tells the planner that there is one row.
enum NewestVersion {
    /// The row of a conversation.
    ///
    /// - Parameters:
    ///   - columns: of the row, such as `ctid`, where it is to be changed.
    ///   - conversation: its id, an expression of the query around, which must not call a table of its own `newest`.
    static func ofConversation(_ conversation: SQL, _ columns: SQL = "*", in schema: ReadSchema = .live) -> SQL {
        """
        SELECT newest.\(columns) FROM \(identifier: schema.name).conversations newest
        WHERE newest.conversation_id = \(conversation)
        ORDER BY newest.last_position DESC LIMIT 1
        """
    }

    /// The row of `unread_counts` of a member.
    static func ofMember(
        _ person: SQL,
        of conversation: SQL,
        _ columns: SQL = "*",
        in schema: ReadSchema = .live
    ) -> SQL {
        """
        SELECT newest.\(columns) FROM \(identifier: schema.name).unread_counts newest
        WHERE newest.user_id = \(person) AND newest.conversation_id = \(conversation)
        ORDER BY newest.read_seq DESC, newest.own_after DESC LIMIT 1
        """
    }

    /// The position of a partition's checkpoint.
    static func ofCheckpoint(_ partition: SQL, in schema: ReadSchema) -> SQL {
        """
        SELECT newest.position FROM \(identifier: schema.name).checkpoints newest
        WHERE newest.partition = \(partition)
        ORDER BY newest.position DESC LIMIT 1
        """
    }
}
