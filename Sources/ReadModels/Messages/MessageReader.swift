import Foundation
import ParleyWire
import Postgres

/// Reads messages as one person sees them, from any number of conversations at once.
struct MessageReader {
    let caller: UUID
    private(set) var messages: [UUID: [Message]] = [:]
    /// Everyone whom the messages name.
    private(set) var people: Set<UUID> = []
    private var reacted: [(conversation: UUID, seq: Int64)] = []

    init(caller: UUID) {
        self.caller = caller
    }

    /// - Parameter ranges: one per conversation.
    mutating func read(_ ranges: [MessageRange], on connection: PostgresConnection) async throws {
        let ranges = ranges.filter { !$0.isEmpty }
        guard !ranges.isEmpty else { return }
        let rows = try await connection.query(Self.statement(for: ranges))
        var own: [MessageRange] = []
        for row in rows {
            let message = try Message(row)
            if try row.decode("has_reactions"), let seq = message.seq {
                reacted.append((message.conversationId.uuid, seq))
            }
            messages[message.conversationId.uuid, default: []].append(message)
            people.insert(message.senderId.uuid)
            people.formUnion(message.mentions.map(\.uuid))
            if let quoted = message.replyTo { people.insert(quoted.senderId.uuid) }
            if let deletedBy = message.deletedBy { people.insert(deletedBy.uuid) }
        }
        try await addReactions(on: connection)
        for range in ranges {
            let seqs = messages[range.conversation, default: []].filter { $0.senderId.uuid == caller }.compactMap(\.seq)
            guard let first = seqs.min(), let last = seqs.max() else { continue }
            own.append(MessageRange(conversation: range.conversation, first: first, last: last, floor: range.floor))
        }
        try await addReceipts(to: own, on: connection)
    }

    static func statement(for ranges: [MessageRange]) -> SQL {
        """
        SELECT m.conversation_id, m.seq, m.message_id, m.sender_id, m.kind, m.text, m.mentions, m.sent_at,
            m.client_timestamp, m.edited_at, m.deleted_at, m.deleted_by, m.has_reactions,
            coalesce(m.changed_position, m.position) AS revision, m.reply_to_id, m.reply_to_seq, q.sender_id AS quoted_sender,
            CASE WHEN m.reply_to_seq > k.floor THEN q.text END AS quoted_text
        FROM unnest(
            \(ranges.map(\.conversation)), \(ranges.map(\.first)), \(ranges.map(\.last)), \(ranges.map(\.floor))
        ) AS k (conversation_id, first, last, floor)
        JOIN read_live.messages m ON m.conversation_id = k.conversation_id AND m.seq BETWEEN k.first AND k.last
        LEFT JOIN read_live.messages q ON q.conversation_id = m.conversation_id AND q.seq = m.reply_to_seq
        ORDER BY m.conversation_id, m.seq
        """
    }

    // MARK: Reactions

    private mutating func addReactions(on connection: PostgresConnection) async throws {
        let tally = try await ReactionTally.read(reacted, for: caller, on: connection)
        for (conversation, bySeq) in tally {
            for index in messages[conversation, default: []].indices {
                guard let seq = messages[conversation]?[index].seq, let reactions = bySeq[seq] else { continue }
                messages[conversation]?[index].reactions = reactions
                people.formUnion(reactions.flatMap(\.userIds).map(\.uuid))
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
                guard message.senderId.uuid == caller, let seq = message.seq else { return false }
                let recipients = ReceiptTally.count(tallies[range.conversation] ?? [], at: seq).recipients
                return (1...ReceiptTimes.maximumRecipients).contains(recipients)
            }
            guard let first = small.compactMap(\.seq).min(), let last = small.compactMap(\.seq).max() else { continue }
            timed.append(MessageRange(conversation: range.conversation, first: first, last: last, floor: range.floor))
        }
        let times = try await ReceiptTimes.read(timed, without: caller, on: connection)
        for range in ranges {
            for index in messages[range.conversation, default: []].indices {
                guard let message = messages[range.conversation]?[index], message.senderId.uuid == caller,
                    let seq = message.seq
                else { continue }
                let count = ReceiptTally.count(tallies[range.conversation] ?? [], at: seq)
                let isTimed = count.recipients <= ReceiptTimes.maximumRecipients
                let moments = isTimed ? times[range.conversation]?.at(seq) : nil
                messages[range.conversation]?[index].show(count, moments)
                people.formUnion(moments?.delivered.keys.map(\.uuid) ?? [])
            }
        }
    }
}

extension Message {
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
                text: try row.decode("quoted_text")
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
            mentions: (try row.decode("mentions", as: [UUID]?.self) ?? []).map(WireID.init),
            timestamp: try row.decode("sent_at"),
            clientTimestamp: try row.decode("client_timestamp"),
            editedAt: try row.decode("edited_at"),
            deletedAt: try row.decode("deleted_at"),
            deletedBy: try row.decode("deleted_by", as: UUID?.self).map(WireID.init),
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
