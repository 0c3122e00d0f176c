import Postgres

/// What messages said when somebody left their conversation, where they were edited since: former members read the history up
/// to their leaving, as it was.
enum EarlierText {
    /// A query for the text of a message and since when it said that; nothing where it says the same today, or its former texts
    /// are gone with it.
    ///
    /// - Parameters:
    ///   - message: a row of `messages` of the query around.
    ///   - until: where the log had the end of a membership, an expression; the largest number, or null, while it lasts.
    static func of(_ message: SQL, until: SQL) -> SQL {
        """
        SELECT v.text, v.at FROM read_live.message_versions v
        WHERE \(until) < \(Int64.max) AND \(message).edited_at IS NOT NULL AND \(message).deleted_at IS NULL
            AND v.conversation_id = \(message).conversation_id AND v.seq = \(message).seq
            AND v.replaced_position > \(until)
        ORDER BY v.replaced_position LIMIT 1
        """
    }
}
