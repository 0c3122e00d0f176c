import HTTPTypes
import Hummingbird
package import NIOCore
import NIOHTTPTypes

/// Writing answers, as fast as the client takes them.
extension HTTPConnection {
    /// Writes an answer, as fast as the client takes it.
    func write(_ response: Response) async throws {
        try await write(response.head)
        try await write(response.body)
    }

    func write(_ head: HTTPResponse) async throws {
        try await write(.head(head), flushing: false)
    }

    func write(_ body: ResponseBody) async throws {
        // A stream's pieces are to be there at once, those of another answer together.
        try await body.write(AnswerWriter(connection: self, isStream: body.contentLength == nil))
    }

    /// Writes a piece of an answer that is a stream.
    package func write(_ bytes: ByteBuffer) async throws {
        try await write(.body(bytes), flushing: true)
    }

    package func endAnswer() async throws {
        try await write(.end(nil), flushing: true)
    }

    fileprivate func write(_ part: HTTPResponsePart, flushing: Bool) async throws {
        if channel.eventLoop.inEventLoop, try writeNow(part, flushing: flushing) { return }
        try await withCheckedThrowingContinuation { writer in
            channel.eventLoop.onItsThread {
                self.write(StalledParts.Part(part: part, writer: writer), flushing: flushing)
            }
        }
    }

    // MARK: On the event loop

    /// - Returns: false where the client has to take first what was written before.
    private func writeNow(_ part: HTTPResponsePart, flushing: Bool) throws -> Bool {
        guard let context else { throw ChannelError.ioOnClosedChannel }
        if case .head = part { leaving.endNothing() }
        guard context.channel.isWritable, stalled.isEmpty else { return false }
        let data = wrapOutboundOut(part)
        if flushing { context.writeAndFlush(data, promise: nil) } else { context.write(data, promise: nil) }
        return true
    }

    private func write(_ part: StalledParts.Part, flushing: Bool) {
        do {
            if try writeNow(part.part, flushing: flushing) { return part.writer.resume() }
            stalled.append(part)
            // What was written and not flushed would never make room.
            context?.flush()
        } catch {
            part.writer.resume(throwing: error)
        }
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        while context.channel.isWritable, let part = stalled.popFirst() {
            context.writeAndFlush(wrapOutboundOut(part.part), promise: nil)
            part.writer.resume()
        }
        context.fireChannelWritabilityChanged()
    }
}

private struct AnswerWriter: ResponseBodyWriter {
    let connection: HTTPConnection
    let isStream: Bool

    func write(_ buffer: ByteBuffer) async throws {
        try await connection.write(.body(buffer), flushing: isStream)
    }

    func write(contentsOf buffers: some Sequence<ByteBuffer>) async throws {
        try await write(ByteBuffer(joining: buffers))
    }

    consuming func finish(_ trailers: HTTPFields?) async throws {
        try await connection.write(.end(trailers), flushing: true)
    }
}
