package import Foundation
package import ParleyWire
import Postgres

/// All that a client needs to start, of one moment.
package struct Snapshot: Sendable {
    package let profile: Profile
    package let totalUnread: TotalUnread
    package fileprivate(set) var entries: [SyncSnapshot.Entry]
    /// Continues the list of conversations after the entries.
    package let nextCursor: String?
    package let users: [WireID: UserSummary]
    /// Where the stream goes on, by partition.
    package let positions: [Int64]
}

extension Queries {
    /// The newest conversations with their newest messages; nil where there is no such person (yet).
    ///
    /// What one answer cannot hold is left out from the far end: older messages, and conversations that come later in the
    /// list. The cursors beside them go on from there.
    package func snapshot(for caller: UUID, window: Int, timelineLimit: Int) async throws -> Snapshot? {
        let read: (Snapshot, [ConversationRow])? = try await ReadSnapshot.with(partitions: partitions, on: pool) {
            connection,
            positions in
            guard let profile = try await UserQuery.profile(of: caller, on: connection) else { return nil }
            let list = ConversationListQuery(
                caller: caller,
                filter: nil,
                text: nil,
                cursor: nil,
                limit: Self.clamped(window),
                budget: answerBytes
            )
            let page = try await list.page(on: connection)
            var reader = HistoryReader(caller: caller, budget: answerBytes, users: page.users)
            let limit = Self.clamped(timelineLimit)
            try await reader.read(page.rows.map { .newest(limit, of: HistoryAccess($0)) }, on: connection)
            let snapshot = Snapshot(
                profile: profile,
                totalUnread: try await UnreadQuery.total(of: caller, on: connection),
                entries: zip(page.rows, reader.selections).map { row, selection in
                    SyncSnapshot.Entry(
                        conversation: row.conversation,
                        timeline: selection.page(of: reader.messages[row.id] ?? [], users: nil)
                    )
                },
                nextCursor: page.nextCursor,
                users: reader.users,
                positions: positions
            )
            return (snapshot, page.rows)
        }
        guard var (snapshot, rows) = read else { return nil }
        rows = try await withDrafts(rows)
        for (place, row) in rows.enumerated() { snapshot.entries[place].conversation.me = row.conversation.me }
        return snapshot
    }
}
