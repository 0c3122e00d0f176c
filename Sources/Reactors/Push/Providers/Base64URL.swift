import Foundation

/// Base64 as tokens and URLs have it: RFC 4648, section 5, without padding.
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    /// Nil for what is none; padding may be there.
    static func decode(_ text: String) -> [UInt8]? {
        let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            .filter { $0 != "=" }
        let padded = plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return Data(base64Encoded: padded).map { Array($0) }
    }
}
