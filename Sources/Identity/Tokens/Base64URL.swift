import Foundation

/// Base64 for URLs without padding (RFC 4648 §5), read strictly: one text for one sequence of bytes.
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let base64 = Data(bytes).base64EncodedString().utf8.prefix { $0 != UInt8(ascii: "=") }
        return String(decoding: base64.map(urlCharacter), as: UTF8.self)
    }

    package static func decode(_ text: Substring) -> [UInt8]? {
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(text.utf8.map(standardCharacter) + padding)) else { return nil }
        // Refuses padding, the other alphabet and stray bits at the end.
        guard encode(data) == text else { return nil }
        return Array(data)
    }

    private static func urlCharacter(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: character
        }
    }

    private static func standardCharacter(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: character
        }
    }
}
