import Foundation
import ParleyWire
import Postgres

/// Reads pieces of histories as one person sees them: messages, and between them what the histories say by themselves.
struct HistoryReader {
    /// About what a system message takes in an answer.
    private static let systemMessageBytes = 1_000

    private let budget: Int
    private var reader: MessageReader
    /// What each page holds, in the order of the plans.
    private(set) var selections: [HistorySelection] = []
    private var room: AnswerRoom

    /// - Parameter users: who is in the answer already.
    init(caller: UUID, budget: Int, users: [WireID: UserSummary] = [:]) {
        self.budget = budget
        reader = MessageReader(caller: caller, budget: budget)
        room = AnswerRoom(budget, users: users)
    }

    var messages: [UUID: [Message]] { reader.messages }

    /// Everyone whom the pieces name, and who was in the answer already.
    var users: [WireID: UserSummary] { room.users }

    /// - Parameter plans: one per conversation.
    mutating func read(_ plans: [HistoryPlan], on connection: PostgresConnection) async throws {
        guard !plans.isEmpty else { return }
        // Few histories have many: none takes more of an answer than its share.
        let most = budget / Self.systemMessageBytes / plans.count
        let sides = try await SystemMessageQuery.sides(of: plans, atMost: most, on: connection)
        selections = plans.map { plan in
            let found = sides[plan.access.conversation]
            return plan.selection(older: found?.older ?? [], newer: found?.newer ?? [], atMost: most)
        }
        let ranges = selections.map(\.range)
        try await reader.read(ranges, on: connection)
        let named = Set(selections.flatMap(\.systemMessages).flatMap(\.people).map { WireID($0) })
        try await room.learn(reader.people.union(named), on: connection)
        room.add(named)
        reader.keep(ranges, in: &room)
    }
}
