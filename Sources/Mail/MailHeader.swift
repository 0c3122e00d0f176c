import Foundation

/// Writes what stands in headers, so that no text can begin another header.
enum MailHeader {
    /// A free text: as it is where it is short and plain, else as encoded words (RFC 2047 §2).
    static func text(_ text: String) -> String {
        let line = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isPrintable ? $0 : " " }))
        let isPlain = line.utf8.count <= 60 && line.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        // What looks like an encoded word would be read as one.
        return isPlain && !line.contains("=?") ? line : encodedWords(line)
    }

    /// An address with its name, if it has one.
    static func mailbox(_ address: MailAddress) -> String {
        guard let name = address.name else { return "<\(address.address)>" }
        return "\(phrase(name)) <\(address.address)>"
    }

    private static func phrase(_ name: String) -> String {
        let written = text(name)
        guard written == name else { return written }
        let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    /// Words of at most 75 characters, none of which splits a character of the text.
    private static func encodedWords(_ text: String) -> String {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if word.count + bytes.count > 45 {
                words.append(word)
                word = []
            }
            word += bytes
        }
        words.append(word)
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
