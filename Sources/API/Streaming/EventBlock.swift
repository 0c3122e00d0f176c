import Foundation
import NIOCore
import ParleyWire

/// What one event of the log becomes for one or many receivers, encoded once: everything but the `id`.
struct EventBlock: Sendable, Equatable {
    private let bytes: ByteBuffer
    /// Where the `id` goes: before the last event, so that a client that got only the others asks for all of them again.
    private let idOffset: Int

    /// - Parameter data: JSON on one line, as `JSONEncoder` writes it: a line break would end the field.
    init(_ name: StreamEventName, data: some Collection<UInt8>) {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(name.rawValue.utf8.count + data.count + 16)
        bytes.writeString("event: \(name.rawValue)\ndata: ")
        bytes.writeBytes(data)
        bytes.writeStaticString("\n\n")
        self.bytes = bytes
        idOffset = 0
    }

    init(_ event: StreamEvent, encoder: JSONEncoder = WireJSON.encoder()) throws {
        guard let name = event.knownName else {
            preconditionFailure("the server makes no events of a later version")
        }
        self.init(name, data: try event.data(encoder: encoder))
    }

    private init(bytes: ByteBuffer, idOffset: Int) {
        self.bytes = bytes
        self.idOffset = idOffset
    }

    /// This event and then another, under one `id`.
    func followed(by next: EventBlock) -> EventBlock {
        var both = bytes
        both.writeImmutableBuffer(next.bytes)
        return EventBlock(bytes: both, idOffset: bytes.readableBytes + next.idOffset)
    }

    var size: Int { bytes.readableBytes }

    var withoutID: ByteBuffer { bytes }

    func with(_ id: EventID) -> ByteBuffer {
        var whole = ByteBuffer()
        whole.reserveCapacity(id.line.readableBytes + bytes.readableBytes)
        let view = bytes.readableBytesView
        whole.writeBytes(view.prefix(idOffset))
        whole.writeImmutableBuffer(id.line)
        whole.writeBytes(view.dropFirst(idOffset))
        return whole
    }
}
