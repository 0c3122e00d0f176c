import Foundation

/// Signed tokens: RFC 7515 and RFC 7519.
enum JSONWebToken {
    struct Header: Encodable {
        let alg: String
        var typ: String? = "JWT"
        var kid: String?
    }

    /// - Parameter sign: what is signed is the ASCII text of header and claims.
    static func make(_ header: Header, _ claims: some Encodable, sign: (Data) throws -> Data) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let parts = [try encoder.encode(header), try encoder.encode(claims)]
        let text = parts.map { Base64URL.encode($0) }.joined(separator: ".")
        return "\(text).\(Base64URL.encode(try sign(Data(text.utf8))))"
    }
}

extension Date {
    /// As tokens have it: whole seconds, since some readers refuse others.
    var epochSeconds: Int64 { Int64(timeIntervalSince1970.rounded(.down)) }
}
