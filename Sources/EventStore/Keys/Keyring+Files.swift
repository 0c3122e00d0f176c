import EventSourcing
package import Foundation

/// What is told of a file, and the key of its bytes, under its owner's key: bound to owner and file. Erasing the owner erases
/// the file, wherever its bytes are.
extension Keyring {
    /// Nil where the owner has no key (any more).
    package func seal(file details: [UInt8], of owner: UUID, as file: UUID) async throws -> SealedDraft? {
        guard let key = try await key(of: owner) else { return nil }
        return SealedDraft(key: key.id, bytes: try key.seal(details, at: Self.place(owner, file)))
    }

    /// The details in their order; nil where the key is gone, or does not open them.
    package func open(files: [(owner: UUID, file: UUID, details: SealedDraft)]) async throws -> [[UInt8]?] {
        let keys = try await keys(withIDs: Set(files.map(\.details.key)))
        return files.map { file in
            try? keys[file.details.key]?.open(file.details.bytes, at: Self.place(file.owner, file.file))
        }
    }

    /// Answers "the same bytes?" without keeping them; nil where the owner has no key (any more).
    package func hmac(of content: [UInt8], by owner: UUID) async throws -> [UInt8]? {
        try await key(of: owner)?.hmac(content)
    }

    private static func place(_ owner: UUID, _ file: UUID) -> SealedPlace {
        SealedPlace(stream: StreamID(StreamCategory(rawValue: "file"), file), commandID: owner, ordinal: 0)
    }
}
