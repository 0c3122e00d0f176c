import NIOCore
import ParleyWire

/// What all streams are told alike.
enum HubBlocks {
    static let ready = EventBlock(.ready, data: "{}".utf8).withoutID
    static let ping = EventBlock(.ping, data: "{}".utf8)

    static let comment = ByteBuffer(string: ": heartbeat\n\n")

    /// A comment keeps proxies from closing an idle connection; the block of an `id` alone moves the client's cursor.
    static func heartbeat(_ id: EventID) -> ByteBuffer {
        var bytes = comment
        bytes.writeImmutableBuffer(id.block)
        return bytes
    }
}
