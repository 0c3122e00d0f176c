import Foundation
import Postgres

/// What a batch changes of one member's row of `unread_counts`.
struct UnreadChange {
    private var membership = Membership.asBefore
    /// Whether the table may have a row from an earlier membership, that ended in this batch.
    private var replaces = false
    private var mark = MarkChange()
    /// The batch's own messages of the member, ascending.
    private var sent: [Int64] = []

    private enum Membership {
        /// Whether the person is a member, the table knows.
        case asBefore
        case begun
        case ended
    }

    /// Joining sets the mark to the head: what was said before is not unread.
    mutating func join(headSeq: Int64) {
        replaces = true
        start(headSeq: headSeq)
    }

    /// Being there from the start.
    mutating func start() {
        start(headSeq: 0)
    }

    private mutating func start(headSeq: Int64) {
        membership = .begun
        mark = MarkChange(startingAt: headSeq)
        sent = []
    }

    mutating func leave() {
        membership = .ended
    }

    mutating func send(seq: Int64) {
        sent.append(seq)
    }

    mutating func read(seq: Int64) {
        mark.advance(to: seq)
    }

    /// What comes after `seq` is unread again.
    mutating func markUnread(after seq: Int64) {
        mark.goBack(to: seq)
    }

    /// The batch's own messages that the mark has not passed.
    private var sentAfterMark: Int64 { Int64(sent.count { $0 > mark.lowest }) }

    // MARK: Statements

    static func statements(for changes: [MembershipKey: UnreadChange], in schema: ReadSchema) -> [SQL] {
        var ended: [MembershipKey] = []
        var begun: [(MembershipKey, UnreadChange)] = []
        var sent: [(MembershipKey, UnreadChange)] = []
        var read: [(MembershipKey, UnreadChange)] = []
        var unread: [(MembershipKey, UnreadChange)] = []
        for (key, change) in changes {
            switch change.membership {
            case .ended: ended.append(key)
            case .begun:
                begun.append((key, change))
                if change.replaces { ended.append(key) }
            case .asBefore where change.mark.goesBack: unread.append((key, change))
            case .asBefore where change.mark.lowest > 0: read.append((key, change))
            case .asBefore: sent.append((key, change))
            }
        }
        return [
            delete(ended, in: schema), begin(begun, in: schema), send(sent, in: schema),
            advance(read, in: schema), goBack(unread, in: schema),
        ].compactMap { $0 }
    }

    private static func delete(_ keys: [MembershipKey], in schema: ReadSchema) -> SQL? {
        guard !keys.isEmpty else { return nil }
        return """
            DELETE FROM \(identifier: schema.name).unread_counts u
            USING unnest(\(keys.map(\.conversation)), \(keys.map(\.person))) AS x (conversation_id, user_id)
            WHERE u.conversation_id = x.conversation_id AND u.user_id = x.user_id
            """
    }

    private static func begin(_ rows: [(key: MembershipKey, change: Self)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            INSERT INTO \(identifier: schema.name).unread_counts (
                conversation_id, user_id, read_seq, own_after, partition)
            SELECT
                unnest(\(rows.map(\.key.conversation))), unnest(\(rows.map(\.key.person))),
                unnest(\(rows.map(\.change.mark.lowest))), unnest(\(rows.map(\.change.sentAfterMark))),
                unnest(\(rows.map(\.key.partition)))
            """
    }

    private static func send(_ rows: [(key: MembershipKey, change: Self)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).unread_counts u
            SET own_after = u.own_after + x.sent
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.person)),
                \(rows.map(\.change.sentAfterMark))
            ) AS x (conversation_id, user_id, sent)
            CROSS JOIN LATERAL (\(NewestVersion.ofMember("x.user_id", of: "x.conversation_id", "ctid", in: schema))) n
            WHERE u.ctid = n.ctid
            """
    }

    /// Takes away the own messages between the old mark and the new one, so that reading a long backlog step by step
    /// costs each message once.
    ///
    /// `messages` holds this batch's already, which `own_after` does not count. If the new mark passes any of them, it
    /// passes all that are older too, and nothing is left: so the difference never counts below 0.
    private static func advance(_ rows: [(key: MembershipKey, change: Self)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).unread_counts u
            SET read_seq = greatest(u.read_seq, x.read_seq),
                own_after = x.sent + CASE WHEN u.own_after = 0 THEN 0 ELSE greatest(0, u.own_after - (
                    SELECT count(*) FROM \(identifier: schema.name).messages m
                    WHERE m.conversation_id = u.conversation_id AND m.seq > u.read_seq AND m.seq <= x.read_seq
                        AND m.sender_id = u.user_id
                )) END
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.person)), \(rows.map(\.change.mark.lowest)),
                \(rows.map(\.change.sentAfterMark))
            ) AS x (conversation_id, user_id, read_seq, sent)
            CROSS JOIN LATERAL (\(NewestVersion.ofMember("x.user_id", of: "x.conversation_id", "ctid", in: schema))) n
            WHERE u.ctid = n.ctid
            """
    }

    /// Counts anew what is unread again, of which this batch's messages are a part.
    ///
    /// The mark goes back no further than where the membership began, which the list of conversations knows.
    private static func goBack(_ rows: [(key: MembershipKey, change: Self)], in schema: ReadSchema) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return """
            UPDATE \(identifier: schema.name).unread_counts u
            SET read_seq = k.read_seq,
                own_after = (
                    SELECT count(*) FROM \(identifier: schema.name).messages m
                    WHERE m.conversation_id = u.conversation_id AND m.seq > k.read_seq AND m.sender_id = u.user_id)
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.person)), \(rows.map(\.change.mark.lowest)),
                \(rows.map(\.change.mark.highest))
            ) AS x (conversation_id, user_id, lowest, highest)
            JOIN \(identifier: schema.name).memberships s ON s.conversation_id = x.conversation_id
                AND s.user_id = x.user_id AND s.to_position IS NULL
            CROSS JOIN LATERAL (
                \(NewestVersion.ofMember("x.user_id", of: "x.conversation_id", "ctid, newest.read_seq", in: schema))
            ) n
            CROSS JOIN LATERAL (
                SELECT greatest(s.from_seq, x.lowest, least(x.highest, n.read_seq)) AS read_seq
            ) k
            WHERE u.ctid = n.ctid
            """
    }
}
