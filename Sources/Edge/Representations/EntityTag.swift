import Crypto
import Foundation
import NIOCore

/// The `ETag` of an answer (RFC 9110 §8.8.3): made of the content alone, so that all servers give the same one.
///
/// A cryptographic hash, since people write what is hashed: nobody can make an edited message look like the one before.
/// Weak, since it stands for the content with and without compression.
struct EntityTag: Sendable, Equatable {
    private let opaque: String

    init(of content: ByteBuffer) {
        let hash = content.withUnsafeReadableBytes { SHA256.hash(data: $0) }
        // 192 bits: two contents with the same ones are beyond anyone's means.
        opaque = Data(hash.prefix(24)).base64EncodedString()
    }

    var text: String { "W/\"\(opaque)\"" }

    /// Whether `If-None-Match` names the content, by the weak comparison (RFC 9110 §13.1.2).
    ///
    /// - Parameter field: `*`, or entity tags between commas; the length is bounded where headers are read. What is
    ///   neither matches nothing.
    func matches(ifNoneMatch field: String) -> Bool {
        var rest = field.utf8[...]
        rest.skipBlanks()
        if rest.first == UInt8(ascii: "*") {
            rest.removeFirst()
            rest.skipBlanks()
            return rest.isEmpty
        }
        while let tag = rest.nextTag() {
            if tag.elementsEqual(opaque.utf8) { return true }
        }
        return false
    }
}

extension Substring.UTF8View {
    /// Reads on to the end of the next tag of a list; nil where there is none, or what comes is no list of tags.
    ///
    /// - Returns: what is between the tag's quotation marks; they cannot be inside.
    fileprivate mutating func nextTag() -> Substring.UTF8View? {
        // RFC 9110 §5.6.1 has recipients take empty members too.
        while let byte = first, byte == UInt8(ascii: ",") || byte.isBlank { removeFirst() }
        if starts(with: "W/".utf8) { removeFirst(2) }
        guard first == UInt8(ascii: "\""), let end = dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let tag = self[startIndex..<end].dropFirst()
        self = self[end...].dropFirst()
        skipBlanks()
        return isEmpty || first == UInt8(ascii: ",") ? tag : nil
    }

    fileprivate mutating func skipBlanks() {
        while let byte = first, byte.isBlank { removeFirst() }
    }
}

extension UInt8 {
    /// RFC 9110 §5.6.3.
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
