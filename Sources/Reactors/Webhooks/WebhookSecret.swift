import Crypto
import Foundation

/// What signs the messages of a webhook, as Standard Webhooks has it: HMAC-SHA256 with 32 random bytes.
package struct WebhookSecret: Sendable, Hashable {
    private let key: [UInt8]
    /// From then on it signs no more; nil for the newest one.
    let until: Date?

    /// A new one.
    init() {
        key = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        until = nil
    }

    init(key: [UInt8], until: Date?) {
        self.key = key
        self.until = until
    }

    /// As its receiver is given it, once.
    package var exposed: String { "whsec_" + Data(key).base64EncodedString() }

    /// The value that stands for this secret in `webhook-signature`.
    func signature(of body: [UInt8], id: String, timestamp: Int64) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: key))
        code.update(data: Array("\(id).\(timestamp).".utf8))
        code.update(data: body)
        return "v1," + Data(code.finalize()).base64EncodedString()
    }

    func ending(at time: Date) -> WebhookSecret {
        WebhookSecret(key: key, until: min(until ?? time, time))
    }
}

extension WebhookSecret: Codable {
    private enum CodingKeys: String, CodingKey {
        case key, until
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        key = Array(try values.decode(Data.self, forKey: .key))
        until = try values.decodeIfPresent(Date.self, forKey: .until)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Data(key), forKey: .key)
        try values.encodeIfPresent(until, forKey: .until)
    }
}

extension WebhookSecret: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
