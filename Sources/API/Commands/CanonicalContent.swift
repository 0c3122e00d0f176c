import Foundation

/// The bytes of what a repeated command must repeat: every part with its length, so that no two contents are the same
/// bytes. Stored as an HMAC for ever, so the encoding of a command must never change.
struct CanonicalContent {
    private(set) var bytes: [UInt8]

    /// - Parameter kind: what is asked for, so that one id cannot do two things.
    init(_ kind: String) {
        bytes = []
        append(kind)
    }

    mutating func append(_ text: String?) {
        append(text.map { Array($0.utf8) })
    }

    mutating func append(_ id: UUID?) {
        append(id.map { id in withUnsafeBytes(of: id.uuid) { Array($0) } })
    }

    /// A set: order and doubles do not count.
    mutating func append(_ ids: Set<UUID>) {
        var list: [UInt8] = []
        for id in ids.sorted() { withUnsafeBytes(of: id.uuid) { list.append(contentsOf: $0) } }
        append(list)
    }

    /// Files in their order: longer or shorter than any id.
    mutating func append(files ids: [UUID]) {
        var list = Array("files".utf8)
        for id in ids { withUnsafeBytes(of: id.uuid) { list.append(contentsOf: $0) } }
        append(list)
    }

    private mutating func append(_ part: [UInt8]?) {
        guard let part else { return bytes.append(0) }
        bytes.append(1)
        withUnsafeBytes(of: UInt32(clamping: part.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: part)
    }
}
