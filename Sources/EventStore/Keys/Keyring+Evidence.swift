import EventSourcing
package import Foundation

/// What a report holds, under the operators' key.
package struct SealedEvidence: Sendable {
    package let key: UUID
    package let bytes: [UInt8]

    package init(key: UUID, bytes: [UInt8]) {
        self.key = key
        self.bytes = bytes
    }
}

extension Keyring {
    /// The owner of the key under which what is the operators' is sealed: nobody who could be erased. Of version 8, as no person's id is.
    static let operators = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))

    /// The operators' key, which is made where there is none yet.
    func operatorsKey() async throws -> PersonKey {
        if let key = try await key(of: Self.operators) { return key }
        try await ensureKey(for: Self.operators)
        guard let key = try await key(of: Self.operators) else { throw CommandError.unavailable }
        return key
    }

    /// - Parameter content: what a repeated report must repeat; answered with its HMAC.
    package func seal(
        evidence: [UInt8],
        content: [UInt8],
        of report: UUID
    ) async throws -> (sealed: SealedEvidence, contentHMAC: [UInt8]) {
        let key = try await operatorsKey()
        let bytes = try key.seal(evidence, at: Self.place(of: report))
        return (SealedEvidence(key: key.id, bytes: bytes), key.hmac(content))
    }

    /// Nil where the key is gone.
    package func open(_ evidence: SealedEvidence, of report: UUID) async throws -> [UInt8]? {
        try await keys(withIDs: [evidence.key])[evidence.key]?.open(evidence.bytes, at: Self.place(of: report))
    }

    private static func place(of report: UUID) -> SealedPlace {
        SealedPlace(stream: StreamID(StreamCategory(rawValue: "report"), report), commandID: report, ordinal: 0)
    }
}
