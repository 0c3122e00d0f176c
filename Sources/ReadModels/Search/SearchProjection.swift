package import EventSourcing
import Foundation
import Messaging
package import Postgres

/// Fills `search_chunks`: a row for every 32 messages of a conversation, whose words an indexer fills in beside.
///
/// A message itself writes nothing here but the first and the last of 32; what changes a message takes the words of its chunk
/// away, in the same transaction, so that words that are there are always those of the messages as they are.
package struct SearchProjection: Projection {
    package static let name = "search"
    package static let version = 1
    package static let categories: [StreamCategory] = [.conversation]
    package static let tables: [ReadTable] = [.searchChunks]

    private var begun: [SearchChunk: (partition: Int32, at: Date)] = [:]
    private var ended: [SearchChunk: Date] = [:]
    private var changed: Set<SearchChunk> = []

    package init() {}

    package mutating func fold(_ event: ProjectedEvent) {
        switch event.fact {
        case .conversation(.messageSent(let sent)):
            let chunk = SearchChunk(conversation: event.record.stream.id, holding: sent.seq)
            if sent.seq == chunk.first {
                begun[chunk] = (Int32(clamping: event.record.partition), event.record.recordedAt)
            }
            if sent.seq == chunk.last { ended[chunk] = event.record.recordedAt }
        case .conversation(.messageEdited(let edited)):
            changed.insert(SearchChunk(conversation: event.record.stream.id, holding: edited.seq))
        case .conversation(.messageDeleted(let deleted)):
            changed.insert(SearchChunk(conversation: event.record.stream.id, holding: deleted.seq))
        case .conversation(.reactionAdded), .conversation(.reactionRemoved), .conversation(.messagePinned),
            .conversation(.messageUnpinned),
            .conversation(.started), .conversation(.participantAdded), .conversation(.participantRemoved),
            .conversation(.roleChanged), .conversation(.groupChanged), .conversation(.receiptsAdvanced),
            .conversation(.viewChanged), .conversation(.markedUnread),
            .conversation(.permissionsChanged), .conversation(.inviteCreated), .conversation(.inviteUsed),
            .conversation(.invitesEnded), .conversation(.blockChanged), .conversation(.messageHidden),
            // ``TextErasure`` sees to what the person said.
            .conversation(.memberErased),
            .conversation(.retentionChanged), .conversation(.slowModeChanged),
            .user(.registered), .user(.profileChanged), .user(.erased), .user(.deactivated), .user(.reactivated),
            .other,
            .undecodable:
            break
        }
    }

    package func statements(in schema: ReadSchema) -> [SQL] {
        [begin(in: schema), end(in: schema), forget(in: schema)].compactMap { $0 }
    }

    /// The history itself refuses a second message of a place.
    private func begin(in schema: ReadSchema) -> SQL? {
        guard !begun.isEmpty else { return nil }
        let rows = Array(begun)
        return """
            INSERT INTO \(identifier: schema.name).search_chunks (conversation_id, chunk, partition, first_at)
            SELECT
                unnest(\(rows.map(\.key.conversation))), unnest(\(rows.map(\.key.number))),
                unnest(\(rows.map(\.value.partition))), unnest(\(rows.map(\.value.at)))
            ON CONFLICT (conversation_id, chunk, partition) DO NOTHING
            """
    }

    private func end(in schema: ReadSchema) -> SQL? {
        guard !ended.isEmpty else { return nil }
        let rows = Array(ended)
        return """
            UPDATE \(identifier: schema.name).search_chunks k SET last_at = x.at
            FROM unnest(
                \(rows.map(\.key.conversation)), \(rows.map(\.key.number)), \(rows.map(\.value))
            ) AS x (conversation_id, chunk, at)
            WHERE k.conversation_id = x.conversation_id AND k.chunk = x.chunk
            """
    }

    /// Of all that the indexer may be busy with, whether it has words or not: this waits for it, and comes after it.
    private func forget(in schema: ReadSchema) -> SQL? {
        guard !changed.isEmpty else { return nil }
        let rows = Array(changed)
        return """
            UPDATE \(identifier: schema.name).search_chunks k SET words = NULL, dictionary = NULL
            FROM unnest(\(rows.map(\.conversation)), \(rows.map(\.number))) AS x (conversation_id, chunk)
            WHERE k.conversation_id = x.conversation_id AND k.chunk = x.chunk AND k.last_at IS NOT NULL
            """
    }
}
