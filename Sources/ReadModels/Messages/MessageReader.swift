import Foundation
import ParleyWire
import Postgres

/// Reads messages as one person sees them, from any number of conversations at once.
struct MessageReader {
    let caller: UUID
    /// About how many bytes an answer may hold of the messages, in all.
    let budget: Int
    /// Whether what the caller has deleted for oneself is shown as such.
    let hides: Bool
    private(set) var messages: [UUID: [Message]] = [:]
    private var reacted: [(conversation: UUID, seq: Int64, until: Int64)] = []

    init(caller: UUID, budget: Int, hides: Bool = true) {
        self.caller = caller
        self.budget = budget
        self.hides = hides
    }

    /// Everyone whom the messages name.
    var people: Set<WireID> { Set(messages.values.joined().flatMap(\.named)) }

    /// Of ranges that do not fit the budget only the parts around their anchors are read: each without holes, and all in
    /// turns, so that no conversation takes everything from the others.
    ///
    /// - Parameter ranges: none of which overlaps another.
    mutating func read(_ ranges: [MessageRange], on connection: PostgresConnection) async throws {
        let ranges = ranges.filter { !$0.isEmpty }
        guard !ranges.isEmpty else { return }
        let rows = try await connection.query(Self.statement(for: ranges, of: caller, hides: hides, within: budget))
        var own: [MessageRange] = []
        for row in rows {
            var message = try Message(row)
            if let hiddenAt = try row.decode("hidden_at", as: Date?.self) {
                message.hide(at: hiddenAt, revision: try row.decode("hidden_position"))
            }
            if !message.isHidden, try row.decode("has_reactions"), let seq = message.seq {
                reacted.append((message.conversationId.uuid, seq, try row.decode("until")))
            }
            messages[message.conversationId.uuid, default: []].append(message)
        }
        try await addReactions(on: connection)
        for range in ranges {
            let seqs = messages[range.conversation, default: []].compactMap { message in
                message.senderId.uuid == caller && range.holds(message) ? message.seq : nil
            }
            guard let first = seqs.min(), let last = seqs.max() else { continue }
            own.append(range.part(first, last))
        }
        try await addReceipts(to: own, on: connection)
    }

    /// Leaves out what does not fit together with the people whom it names: those farthest from their anchors, as the statement
    /// does by the messages alone.
    mutating func keep(_ ranges: [MessageRange], in room: inout AnswerRoom) {
        var places: [(distance: UInt64, range: Int, message: Message)] = []
        for (number, range) in ranges.enumerated() {
            for message in messages[range.conversation, default: []] where range.holds(message) {
                places.append((range.distance(to: message), number, message))
            }
        }
        places.sort { ($0.distance, $0.range, $0.message.seq ?? 0) < ($1.distance, $1.range, $1.message.seq ?? 0) }
        let end = places.firstIndex { !room.take($0.message.weight, naming: $0.message.named) }
        guard let end else { return }
        let left = Dictionary(grouping: places[end...].map { $0.message }) { $0.conversationId.uuid }
        for (conversation, messages) in left {
            let seqs = Set(messages.map(\.seq))
            self.messages[conversation]?.removeAll { seqs.contains($0.seq) }
        }
    }

    /// What fits is found out from the sizes alone, so that PostgreSQL neither reads nor sends the texts that do not.
    static func statement(for ranges: [MessageRange], of caller: UUID, hides: Bool, within budget: Int) -> SQL {
        let hider = hides ? caller : nil
        // The first is read however large it is.
        let isAll = budget == .max || ranges.count == 1 && ranges[0].first == ranges[0].last
        return """
            WITH keys AS (
                SELECT * FROM unnest(
                    \(ranges.map(\.conversation)), \(ranges.map(\.first)), \(ranges.map(\.last)), \(ranges.map(\.floor)),
                    \(ranges.map(\.until)), \(ranges.map(\.anchor))
                ) WITH ORDINALITY AS k (conversation, first, last, floor, until, anchor, n)
            ), fitting AS (
                \(isAll ? "SELECT conversation, floor, until, first, last FROM keys" : fitting(budget, for: caller))
            )
            SELECT m.conversation_id, m.seq, m.message_id, m.sender_id, m.kind, m.mentions, m.mentions_all, m.sent_at,
                m.client_timestamp, m.deleted_at, m.deleted_by, m.has_reactions, m.forward_hops, m.expires_at, m.attachments,
                CASE WHEN o.at IS NULL THEN m.text ELSE o.text END AS text,
                CASE WHEN o.at IS NULL THEN m.edited_at ELSE nullif(o.at, m.sent_at) END AS edited_at,
                CASE WHEN m.pinned_position <= k.until THEN m.pinned_at END AS pinned_at,
                CASE WHEN m.pinned_position <= k.until THEN m.pinned_by END AS pinned_by,
                coalesce(m.changed_position, m.position) AS revision, m.reply_to_id, m.reply_to_seq, q.sender_id AS quoted_sender,
                CASE WHEN v.quoted THEN CASE WHEN p.at IS NULL THEN q.text ELSE p.text END END AS quoted_text,
                CASE WHEN v.quoted THEN q.attachments END AS quoted_attachments,
                h.hidden_at, h.position AS hidden_position, k.until
            FROM fitting k
            JOIN read_live.messages m ON m.conversation_id = k.conversation AND m.seq BETWEEN k.first AND k.last
            LEFT JOIN read_live.messages q ON q.conversation_id = m.conversation_id AND q.seq = m.reply_to_seq
            LEFT JOIN LATERAL (\(EarlierText.of("m", until: "k.until"))) o ON true
            LEFT JOIN LATERAL (\(EarlierText.of("q", until: "k.until"))) p ON true
            LEFT JOIN read_live.hidden_messages h ON h.user_id = \(hider) AND h.conversation_id = m.conversation_id
                AND h.seq = m.seq
            CROSS JOIN LATERAL (
                SELECT m.reply_to_seq > k.floor AND NOT EXISTS (
                    SELECT FROM read_live.hidden_messages x
                    WHERE x.user_id = \(hider) AND x.conversation_id = m.conversation_id AND x.seq = m.reply_to_seq
                ) AS quoted
            ) v
            ORDER BY m.conversation_id, m.seq
            """
    }

    /// Which parts of `keys` fit a budget.
    private static func fitting(_ budget: Int, for caller: UUID) -> SQL {
        """
        SELECT w.conversation, w.floor, w.until, min(w.seq) AS first, max(w.seq) AS last
        FROM (
            SELECT k.n, k.conversation, k.floor, k.until, m.seq, x.weight,
                sum(x.weight) OVER (ORDER BY abs(m.seq - k.anchor), k.n, m.seq ROWS UNBOUNDED PRECEDING) AS total
            FROM keys k
            JOIN read_live.messages m ON m.conversation_id = k.conversation AND m.seq BETWEEN k.first AND k.last
            LEFT JOIN read_live.messages q ON q.conversation_id = m.conversation_id AND q.seq = m.reply_to_seq
            CROSS JOIN LATERAL (
                SELECT \(Message.fixedWeight) + coalesce(octet_length(m.text), 0) + coalesce(octet_length(q.text), 0)
                    + \(Message.mentionWeight) * coalesce(cardinality(m.mentions), 0)
                    + 5 * coalesce(octet_length(m.attachments), 0)
                    + CASE WHEN m.sender_id = \(caller) THEN \(Message.receiptsWeight) ELSE 0 END
                    + CASE WHEN m.has_reactions THEN (
                        SELECT \(Message.reactionWeight) * least(count(*), \(Message.namedReactions))
                        FROM read_live.reactions r
                        WHERE r.conversation_id = m.conversation_id AND r.seq = m.seq) ELSE 0 END AS weight) x
        ) w
        WHERE w.total <= \(budget) OR w.total = w.weight
        GROUP BY w.n, w.conversation, w.floor, w.until
        """
    }

    // MARK: Reactions

    private mutating func addReactions(on connection: PostgresConnection) async throws {
        let tally = try await ReactionTally.read(reacted, for: caller, on: connection)
        for (conversation, bySeq) in tally {
            for index in messages[conversation, default: []].indices {
                guard let seq = messages[conversation]?[index].seq, let reactions = bySeq[seq] else { continue }
                messages[conversation]?[index].reactions = reactions
            }
        }
        reacted = []
    }

    // MARK: Receipts

    /// What senders see of their own messages.
    private mutating func addReceipts(to ranges: [MessageRange], on connection: PostgresConnection) async throws {
        guard !ranges.isEmpty else { return }
        let tallies = try await ReceiptTally.read(ranges, without: caller, on: connection)
        var timed: [MessageRange] = []
        for range in ranges {
            let small = messages[range.conversation, default: []].filter { message in
                guard message.senderId.uuid == caller, range.holds(message), let seq = message.seq else {
                    return false
                }
                let count = ReceiptTally.count(tallies[range.conversation] ?? [], at: seq)
                return count.delivered > 0 && count.recipients <= ReceiptTimes.maximumRecipients
            }
            guard let first = small.compactMap(\.seq).min(), let last = small.compactMap(\.seq).max() else { continue }
            timed.append(range.part(first, last))
        }
        let times = try await ReceiptTimes.read(timed, without: caller, on: connection)
        for range in ranges {
            for index in messages[range.conversation, default: []].indices {
                guard let message = messages[range.conversation]?[index], message.senderId.uuid == caller,
                    range.holds(message), let seq = message.seq
                else { continue }
                let count = ReceiptTally.count(tallies[range.conversation] ?? [], at: seq)
                let isTimed = count.recipients <= ReceiptTimes.maximumRecipients
                let moments = isTimed ? times[range.conversation]?.at(seq) : nil
                messages[range.conversation]?[index].show(count, moments)
            }
        }
    }
}

extension Message {
    /// About what a message takes in an answer beside its texts.
    fileprivate static let fixedWeight = 700
    /// Who is mentioned.
    fileprivate static let mentionWeight = 40
    /// What tells of its receipts: for up to 50 recipients, when they got it and when they read it.
    fileprivate static let receiptsWeight = 1_300
    /// Who has given one reaction, and a share of what tells of its kind.
    fileprivate static let reactionWeight = 45
    /// Of 20 kinds, the first 50 who gave each are named.
    fileprivate static let namedReactions = 1_000

    fileprivate init(_ row: Row) throws {
        let id = WireID(try row.decode("message_id"))
        var quoted: ReplyTo?
        if let reply = try row.decode("reply_to_id", as: UUID?.self),
            let seq = try row.decode("reply_to_seq", as: Int64?.self),
            let sender = try row.decode("quoted_sender", as: UUID?.self)
        {
            quoted = ReplyTo(
                id: WireID(reply),
                seq: seq,
                senderId: WireID(sender),
                text: try row.decode("quoted_text"),
                attachments: try MessageFiles.kinds(try row.decode("quoted_attachments"))
            )
        }
        self.init(
            id: id,
            localId: id,
            conversationId: WireID(try row.decode("conversation_id")),
            seq: try row.decode("seq"),
            senderId: WireID(try row.decode("sender_id")),
            kind: MessageKind(rawValue: try row.decode("kind")),
            text: try row.decode("text"),
            replyTo: quoted,
            forwardedFrom: try row.decode("forward_hops", as: Int?.self).map { ForwardedFrom(hops: $0) },
            mentions: [Mention](
                try row.decode("mentions", as: [UUID]?.self) ?? [],
                all: try row.decode("mentions_all")
            ),
            attachments: try MessageFiles.decode(try row.decode("attachments")).map(Attachment.init),
            timestamp: try row.decode("sent_at"),
            clientTimestamp: try row.decode("client_timestamp"),
            editedAt: try row.decode("edited_at"),
            expiresAt: try row.decode("expires_at"),
            deletedAt: try row.decode("deleted_at"),
            deletedBy: try row.decode("deleted_by", as: UUID?.self).map(WireID.init),
            pinnedAt: try row.decode("pinned_at"),
            pinnedBy: try row.decode("pinned_by", as: UUID?.self).map(WireID.init),
            revision: try row.decode("revision")
        )
    }

    fileprivate mutating func show(_ count: ReceiptTally.Count, _ times: ReceiptTimes.Moments?) {
        recipientCount = count.recipients
        deliveredCount = count.delivered
        readCount = count.read
        deliveredTo = times?.delivered ?? [:]
        readBy = times?.read ?? [:]
        status =
            if count.recipients == 0 {
                .sent
            } else if count.read == count.recipients {
                .read
            } else if count.delivered == count.recipients {
                .delivered
            } else {
                .sent
            }
    }
}
