/// Names and values as a query and a form have them.
package enum FormEncoding {
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    private static let digits = Array("0123456789ABCDEF".utf8)

    static func text(_ items: [(name: String, value: String)]) -> String {
        items.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    package static func encoded(_ text: String) -> String {
        let bytes = text.utf8.flatMap { byte in
            plain.contains(byte)
                ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
