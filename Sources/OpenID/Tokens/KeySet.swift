import Foundation

/// The keys that an issuer signs with at a time.
struct KeySet: Sendable {
    private static let most = 100

    private let keys: [(id: String?, key: VerificationKey)]

    private struct Document: Decodable {
        let keys: [Lenient]
    }

    /// A key of a kind that is not known must not take the others with it.
    private struct Lenient: Decodable {
        let key: JSONWebKey?

        init(from decoder: any Decoder) throws {
            key = try? JSONWebKey(from: decoder)
        }
    }

    /// - Throws: where it is no set of keys (RFC 7517 §5), or none of them is of use.
    init(_ document: [UInt8]) throws(OpenIDError) {
        guard let set = try? JSONDecoder().decode(Document.self, from: Data(document)) else { throw .unavailable }
        keys = set.keys.prefix(Self.most).compactMap { lenient in
            guard let key = lenient.key, let usable = VerificationKey(key) else { return nil }
            return (key.kid, usable)
        }
        guard !keys.isEmpty else { throw .unavailable }
    }

    /// The key that a token names; where it names none, the only one for its algorithm.
    func find(_ id: String?, _ algorithm: SignatureAlgorithm) -> VerificationKey? {
        let fitting = keys.filter { $0.key.algorithm == algorithm }
        guard let id else { return fitting.count == 1 ? fitting.first?.key : nil }
        return fitting.first { $0.id.map { $0.isIdentical(to: id) } ?? false }?.key
    }
}

extension String {
    /// Byte by byte: `==` takes texts for equal that are spelt in other bytes.
    func isIdentical(to other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
