import EventStore
import Foundation
import ParleyWire

extension Queries {
    /// The conversations with what their callers have begun to write. Not while a connection is held: a key may have to be
    /// read.
    func withDrafts(_ rows: [ConversationRow]) async throws -> [ConversationRow] {
        guard let keyring else { return rows }
        let places = rows.indices.filter { rows[$0].draft != nil }
        let sealed = places.compactMap { place in
            rows[place].draft.map { (person: rows[place].caller, conversation: rows[place].id, draft: $0) }
        }
        guard !sealed.isEmpty else { return rows }
        var rows = rows
        for (place, text) in zip(places, try await keyring.open(sealed)) {
            rows[place].conversation.me.draft = text
            if text == nil { rows[place].conversation.me.draftUpdatedAt = nil }
        }
        return rows
    }
}
