import Crypto
import Foundation

/// A token that programs keep: an id by which it is found, and 256 secret bits for which it is believed. The database has the
/// secret's SHA-256 alone. It begins with what it opens, so that whoever finds one in a file knows what it is.
struct ProgramToken: Sendable {
    enum Kind: String {
        case `operator` = "parley_op_"
        case bot = "parley_bot_"
    }

    let kind: Kind
    let id: UUID
    private let secret: [UInt8]

    private static let length = 16 + 32
    private static let textLength = length * 8 / 6

    /// A new one.
    init(_ kind: Kind, id: UUID) {
        self.kind = kind
        self.id = id
        secret = SymmetricKey(size: .bits256).bytes
    }

    /// Reads a token; whether it is genuine is for its hash to say.
    init?(_ kind: Kind, text: String) {
        guard text.utf8.count == kind.rawValue.utf8.count + Self.textLength, text.hasPrefix(kind.rawValue),
            let bytes = Base64URL.decode(text.dropFirst(kind.rawValue.count)), bytes.count == Self.length,
            let id = UUID(bytes: bytes.prefix(16))
        else { return nil }
        self.kind = kind
        self.id = id
        secret = Array(bytes.dropFirst(16))
    }

    var text: Secret { Secret(kind.rawValue + Base64URL.encode(id.bytes + secret)) }

    /// What memory knows it by.
    var fingerprint: SHA256Digest { SHA256.hash(data: Array(kind.rawValue.utf8) + id.bytes + secret) }

    /// What the database knows of it.
    var hash: [UInt8] { Array(SHA256.hash(data: secret)) }

    /// Whether this is what the database knows of it; takes as long whether or not it is.
    func matches(_ hash: [UInt8]) -> Bool { SHA256.hash(data: secret) == hash }
}

extension ProgramToken: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
