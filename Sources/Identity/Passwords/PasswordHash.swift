import Crypto
import CryptoExtras
import Foundation

/// A stored password: scrypt's output with all that it takes to compute it again, written as a PHC string:
/// `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, base64 without padding.
struct PasswordHash: Sendable, Equatable {
    let parameters: ScryptParameters
    let salt: [UInt8]
    private let derived: SymmetricKey

    /// Hashes under a new salt. Takes a tenth of a second and tens of megabytes: only on a `PasswordHasher`'s threads.
    init(_ password: Password, parameters: ScryptParameters) throws {
        var random = SystemRandomNumberGenerator()
        let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        self.parameters = parameters
        self.salt = salt
        derived = try Self.derive(Array(password.text.exposed.utf8), parameters: parameters, salt: salt, count: 32)
    }

    /// Hashes again and compares in constant time. As costly as hashing.
    func matches(_ password: Password) throws -> Bool {
        let bytes = Array(password.text.exposed.utf8)
        let count = derived.bitCount / 8
        return try Self.derive(bytes, parameters: parameters, salt: salt, count: count) == derived
    }

    private static func derive(
        _ password: [UInt8],
        parameters: ScryptParameters,
        salt: [UInt8],
        count: Int
    ) throws -> SymmetricKey {
        precondition(!password.isEmpty && !salt.isEmpty, "a Password has 8 characters and a salt 8 bytes at least")
        return try KDF.Scrypt.deriveKey(
            from: password,
            salt: salt,
            outputByteCount: count,
            rounds: 1 << parameters.log2N,
            blockSize: parameters.blockSize,
            parallelism: parameters.parallelism
        )
    }
}

extension PasswordHash {
    /// Reads a PHC string; nil if it is none that this program writes.
    init?(phc: String) {
        let parts = phc.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        let values = parts[2].split(separator: ",", omittingEmptySubsequences: false)
        guard values.count == 3,
            let log2N = Self.value(values[0], of: "ln"),
            let blockSize = Self.value(values[1], of: "r"),
            let parallelism = Self.value(values[2], of: "p"),
            let parameters = ScryptParameters(log2N: log2N, blockSize: blockSize, parallelism: parallelism),
            let salt = Self.bytes(parts[3]), (8...64).contains(salt.count),
            let hash = Self.bytes(parts[4]), (16...64).contains(hash.count)
        else { return nil }
        self.parameters = parameters
        self.salt = salt
        derived = SymmetricKey(data: hash)
    }

    var phc: Secret {
        let cost = "ln=\(parameters.log2N),r=\(parameters.blockSize),p=\(parameters.parallelism)"
        let hash = derived.withUnsafeBytes { Self.text(Array($0)) }
        return Secret("$scrypt$\(cost)$\(Self.text(salt))$\(hash)")
    }

    private static func value(_ text: Substring, of name: String) -> Int? {
        guard text.hasPrefix("\(name)=") else { return nil }
        return Int(text.dropFirst(name.count + 1))
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { Array($0) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }
}

extension PasswordHash: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
