import EventSourcing
package import Foundation

/// A text under its person's key that is no event of the log.
package struct SealedDraft: Sendable {
    package let key: UUID
    package let bytes: [UInt8]

    package init(key: UUID, bytes: [UInt8]) {
        self.key = key
        self.bytes = bytes
    }
}

extension Keyring {
    /// Nil where the person has no key (any more).
    package func seal(draft: String, of person: UUID, in conversation: UUID) async throws -> SealedDraft? {
        guard let key = try await key(of: person) else { return nil }
        let bytes = try key.seal(Array(draft.utf8), at: Self.place(person, conversation))
        return SealedDraft(key: key.id, bytes: bytes)
    }

    /// The texts in their order; nil where the key is gone.
    package func open(
        _ drafts: [(person: UUID, conversation: UUID, draft: SealedDraft)]
    ) async throws -> [String?] {
        let keys = try await keys(withIDs: Set(drafts.map(\.draft.key)))
        return try drafts.map { sealed in
            try keys[sealed.draft.key].map { key in
                let bytes = try key.open(sealed.draft.bytes, at: Self.place(sealed.person, sealed.conversation))
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    private static func place(_ person: UUID, _ conversation: UUID) -> SealedPlace {
        SealedPlace(
            stream: StreamID(StreamCategory(rawValue: "draft"), conversation),
            commandID: person,
            ordinal: 0
        )
    }
}
