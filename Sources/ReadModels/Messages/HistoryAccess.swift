import Foundation
import Postgres

/// What one person may read of a conversation: the messages after `floor`, up to `ceiling`.
struct HistoryAccess {
    let conversation: UUID
    let floor: Int64
    let ceiling: Int64
    /// Where the log had the end of the membership; the largest number while it lasts.
    let until: Int64
    /// The places of it all: from the first on, up to before the end.
    let start: HistoryKey
    let end: HistoryKey

    func contains(_ seq: Int64) -> Bool {
        seq > floor && seq <= ceiling
    }

    func contains(_ key: HistoryKey) -> Bool {
        start <= key && key < end
    }

    /// One message alone.
    func range(of seq: Int64) -> MessageRange { range(seq...seq) }

    /// - Parameter anchor: the last one where it is nil.
    func range(_ seqs: ClosedRange<Int64>, anchor: Int64? = nil) -> MessageRange {
        MessageRange(
            conversation: conversation,
            first: seqs.lowerBound,
            last: seqs.upperBound,
            floor: floor,
            until: until,
            anchor: anchor
        )
    }

    /// The ranges that hold those of these messages that may be read.
    func ranges(of seqs: [Int64]) -> [MessageRange] {
        var runs: [ClosedRange<Int64>] = []
        for seq in Set(seqs).filter(contains).sorted() {
            if let run = runs.last, run.upperBound + 1 == seq, run.count < Queries.maximumLimit {
                runs[runs.count - 1] = run.lowerBound...seq
            } else {
                runs.append(seq...seq)
            }
        }
        return runs.map { range($0) }
    }
}

// MARK: Reading

extension HistoryAccess {
    /// Nil where the person never was a member of the conversation.
    static func read(
        of person: UUID,
        in conversation: UUID,
        on connection: PostgresConnection
    ) async throws -> HistoryAccess? {
        try await read(of: person, in: [conversation], on: connection).first
    }

    /// - Parameter conversations: nil for all that the person is or was a member of.
    static func read(
        of person: UUID,
        in conversations: [UUID]?,
        on connection: PostgresConnection
    ) async throws -> [HistoryAccess] {
        try await connection.query(statement(for: person, in: conversations)).map(HistoryAccess.init)
    }

    /// The newest membership decides.
    static func statement(for person: UUID, in conversations: [UUID]?) -> SQL {
        let condition: SQL =
            conversations.map { "x.user_id = \(person) AND x.conversation_id = ANY (\($0))" } ?? "x.user_id = \(person)"
        return """
            SELECT m.conversation_id, h.floor, h.ceiling, h.first_position, m.to_position
            FROM (
                SELECT DISTINCT ON (x.conversation_id) x.* FROM read_live.memberships x
                WHERE \(condition)
                ORDER BY x.conversation_id, x.from_position DESC
            ) m
            CROSS JOIN LATERAL (\(NewestVersion.ofConversation("m.conversation_id"))) c
            CROSS JOIN LATERAL (\(ConversationQuery.readable)) h
            """
    }

    private init(_ row: Row) throws {
        self.init(
            conversation: try row.decode("conversation_id"),
            floor: try row.decode("floor"),
            ceiling: try row.decode("ceiling"),
            firstPosition: try row.decode("first_position"),
            toPosition: try row.decode("to_position")
        )
    }

    init(_ row: ConversationRow) {
        self.init(
            conversation: row.id,
            floor: row.floor,
            ceiling: row.ceiling,
            firstPosition: row.firstPosition,
            toPosition: row.toPosition
        )
    }

    private init(conversation: UUID, floor: Int64, ceiling: Int64, firstPosition: Int64, toPosition: Int64?) {
        self.init(
            conversation: conversation,
            floor: floor,
            ceiling: ceiling,
            until: toPosition ?? .max,
            start: HistoryKey(floor, firstPosition),
            // How it ended for the person is the last that the person sees of it.
            end: toPosition.map { HistoryKey(ceiling, $0).next } ?? HistoryKey(ceiling, .max)
        )
    }
}
