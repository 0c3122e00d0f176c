import EventSourcing
package import Foundation

/// Where a device is reached, under its person's key: bound to person and device.
extension Keyring {
    /// Nil where the person has no key (any more).
    package func seal(address: [UInt8], of person: UUID, device: UUID) async throws -> SealedDraft? {
        guard let key = try await key(of: person) else { return nil }
        return SealedDraft(key: key.id, bytes: try key.seal(address, at: Self.place(person, device)))
    }

    /// The addresses in their order; nil where the key is gone, or does not open it.
    package func open(
        addresses rows: [(person: UUID, device: UUID, address: SealedDraft)]
    ) async throws -> [[UInt8]?] {
        let keys = try await keys(withIDs: Set(rows.map(\.address.key)))
        return rows.map { row in
            try? keys[row.address.key]?.open(row.address.bytes, at: Self.place(row.person, row.device))
        }
    }

    private static func place(_ person: UUID, _ device: UUID) -> SealedPlace {
        SealedPlace(stream: StreamID(StreamCategory(rawValue: "device"), device), commandID: person, ordinal: 0)
    }
}
