package import NIOCore

extension ByteBuffer {
    /// One buffer of all; the same one where it is alone, as most are, and shared with other streams.
    package init(joining buffers: some Sequence<ByteBuffer>) {
        var all: ByteBuffer?
        for buffer in buffers where all?.writeImmutableBuffer(buffer) == nil { all = buffer }
        self = all ?? ByteBuffer()
    }
}
