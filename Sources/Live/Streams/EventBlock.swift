import NIOCore
import ParleyWire

/// One event as it travels to one or many receivers, encoded once: everything but the `id`.
struct EventBlock: Sendable, Equatable {
    let withoutID: ByteBuffer
    /// Other events that are told just before, under no `id` of their own: who is cut in between gets all again.
    private var preface = ByteBuffer()

    /// - Parameter data: JSON on one line, as `JSONWriter` writes it: a line break would end the field.
    init(_ name: StreamEventName, data: some Collection<UInt8>) {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(name.rawValue.utf8.count + data.count + 16)
        bytes.writeString("event: \(name.rawValue)\ndata: ")
        bytes.writeBytes(data)
        bytes.writeStaticString("\n\n")
        withoutID = bytes
    }

    init(_ event: StreamEvent) {
        guard let name = event.knownName else {
            preconditionFailure("the server makes no events of a later version")
        }
        self.init(name, data: JSONWriter.data(of: event, reserving: 1_024))
    }

    /// Events that are told one after the other, under the `id` of the last; nil where there are none.
    init?(inOrder events: [StreamEvent]) {
        guard let last = events.last else { return nil }
        self.init(last)
        for event in events.dropLast() { preface.writeImmutableBuffer(EventBlock(event).withoutID) }
    }

    var size: Int { preface.readableBytes + withoutID.readableBytes }

    func with(_ id: EventID) -> ByteBuffer {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(id.line.readableBytes + size)
        bytes.writeImmutableBuffer(preface)
        bytes.writeImmutableBuffer(id.line)
        bytes.writeImmutableBuffer(withoutID)
        return bytes
    }
}
