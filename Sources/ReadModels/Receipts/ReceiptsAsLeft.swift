import Postgres

/// How far others had come with messages when somebody left their conversation, who is not shown what they have received and
/// read since.
enum ReceiptsAsLeft {
    /// Whether a time is none from after the membership that ended at a position; always while it lasts.
    ///
    /// - Parameters:
    ///   - time: as the two others, an expression of the query around.
    ///   - until: where the log had the end; the largest number while the membership lasts.
    static func isShown(_ time: SQL, in conversation: SQL, until: SQL) -> SQL {
        """
        NOT EXISTS (
            SELECT FROM read_live.memberships e
            WHERE e.conversation_id = \(conversation) AND e.to_position = \(until) AND e.left_at < \(time))
        """
    }

    /// A mark of the row `w` of `watermarks` as it was then, as far as it concerns the messages of the range `k`.
    ///
    /// - Parameter mark: as it is now, an expression.
    static func mark(_ kind: ReceiptKind, _ mark: SQL) -> SQL {
        """
        CASE WHEN k.until = \(Int64.max) THEN \(mark) ELSE coalesce((
            SELECT least(x.to_seq, \(mark)) FROM read_live.receipt_ranges x
            WHERE x.conversation_id = w.conversation_id AND x.user_id = w.user_id AND x.kind = \(kind.rawValue)
                AND x.from_seq < k.last AND \(isShown("x.at", in: "k.conversation_id", until: "k.until"))
            ORDER BY x.from_seq DESC LIMIT 1), 0) END
        """
    }
}
