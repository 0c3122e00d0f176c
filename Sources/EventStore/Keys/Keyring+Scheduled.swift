import EventSourcing
package import Foundation

/// What is to be said later, under its author's key: bound to author and message.
extension Keyring {
    /// Nil where the author has no key (any more).
    package func seal(scheduled content: [UInt8], of author: UUID, as message: UUID) async throws -> SealedDraft? {
        guard let key = try await key(of: author) else { return nil }
        return SealedDraft(key: key.id, bytes: try key.seal(content, at: Self.place(author, message)))
    }

    /// The contents in their order; nil where the key is gone, or does not open it: one that is damaged keeps nobody from the
    /// others.
    package func open(
        scheduled rows: [(author: UUID, message: UUID, content: SealedDraft)]
    ) async throws -> [[UInt8]?] {
        let keys = try await keys(withIDs: Set(rows.map(\.content.key)))
        return rows.map { row in
            try? keys[row.content.key]?.open(row.content.bytes, at: Self.place(row.author, row.message))
        }
    }

    private static func place(_ author: UUID, _ message: UUID) -> SealedPlace {
        SealedPlace(stream: StreamID(StreamCategory(rawValue: "scheduled"), message), commandID: author, ordinal: 0)
    }
}
