import NIOCore

/// The `id` of an event: the cursor from which a client goes on after it.
struct EventID: Sendable, Equatable {
    let text: String
    /// The field as it travels.
    let line: ByteBuffer

    init(_ vector: PositionVector, epoch: UInt64) {
        text = vector.text(epoch: epoch)
        line = ByteBuffer(string: "id: \(text)\n")
    }

    /// A block of an `id` alone: it moves a client's cursor and raises no event.
    var block: ByteBuffer {
        var block = line
        block.writeStaticString("\n")
        return block
    }
}
