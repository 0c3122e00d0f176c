import NIOCore
import ParleyWire

extension AttachmentLinks {
    /// What goes to many streams, as this one gets it: with the URLs of its session.
    func filled(_ bytes: ByteBuffer) -> ByteBuffer {
        bytes.withUnsafeReadableBytes { text in
            Self.hasPlaces(text) ? ByteBuffer(bytes: fill(text)) : bytes
        }
    }
}
