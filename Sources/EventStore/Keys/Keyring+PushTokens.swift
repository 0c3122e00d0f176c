import EventSourcing
package import Foundation

/// What tells a push service who we are, under the operators' key: bound to the credentials that it was made with.
extension Keyring {
    package func seal(pushToken token: [UInt8], of id: UUID) async throws -> SealedDraft {
        let key = try await operatorsKey()
        return SealedDraft(key: key.id, bytes: try key.seal(token, at: Self.place(ofPushToken: id)))
    }

    /// Nil where the key is gone, or does not open it.
    package func open(pushToken sealed: SealedDraft, of id: UUID) async throws -> [UInt8]? {
        let keys = try await keys(withIDs: [sealed.key])
        return try? keys[sealed.key]?.open(sealed.bytes, at: Self.place(ofPushToken: id))
    }

    private static func place(ofPushToken id: UUID) -> SealedPlace {
        SealedPlace(stream: StreamID(StreamCategory(rawValue: "push-token"), id), commandID: id, ordinal: 0)
    }
}
