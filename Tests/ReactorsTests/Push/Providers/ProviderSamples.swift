import Crypto
import CryptoExtras
import Foundation
import Logging
import Outbound

@testable import Reactors

/// What tests of push services send, and with what.
enum ProviderSamples {
    static let conversation = UUID()

    static func notification(
        _ kind: PushNotification.Kind = .alert,
        title: String = "Ada",
        body: String = "Shall we?",
        expires: Date = Date().addingTimeInterval(3_600)
    ) -> PushNotification {
        PushNotification(
            id: UUID(),
            kind: kind,
            title: title,
            body: body,
            badge: 7,
            conversationID: conversation,
            messageID: UUID(),
            seq: 42,
            senderID: UUID(),
            expires: expires
        )
    }

    static func client(_ rules: OutboundRules = .operators, trusting file: String? = nil) throws -> OutboundClient {
        try OutboundClient(rules: rules, trustFile: file, maximumConnections: 64, logger: Logger(label: "test"))
    }

    /// The file of a service account, and the key that verifies what it signs.
    static func serviceAccount(tokenURL: String) throws -> (json: Data, key: _RSA.Signing.PublicKey) {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let file = [
            "type": "service_account", "project_id": "parley-test", "client_email": "push@parley-test.example",
            "private_key_id": "abc", "private_key": key.pkcs8PEMRepresentation, "token_uri": tokenURL,
        ]
        return (try JSONEncoder().encode(file), key.publicKey)
    }
}

/// A signed token, taken apart.
struct ReadToken {
    let header: [String: String]
    let claims: [String: Claim]
    let signed: Data
    let signature: Data

    enum Claim: Decodable, Equatable {
        case text(String)
        case number(Int64)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int64.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    struct Unreadable: Error {}

    init(_ text: some StringProtocol) throws {
        let parts = String(text).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let bytes = parts.compactMap { Base64URL.decode($0) }
        guard parts.count == 3, bytes.count == 3 else { throw Unreadable() }
        header = try JSONDecoder().decode([String: String].self, from: Data(bytes[0]))
        claims = try JSONDecoder().decode([String: Claim].self, from: Data(bytes[1]))
        signed = Data("\(parts[0]).\(parts[1])".utf8)
        signature = Data(bytes[2])
    }

    func isSigned(by key: P256.Signing.PublicKey) throws -> Bool {
        key.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: signed)
    }
}
