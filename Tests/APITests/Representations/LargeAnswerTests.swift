import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import ParleyWire
import Testing

@testable import Edge

/// Answers that take long to write.
struct LargeAnswerTests {
    /// Writes whether it is written on an event loop's thread.
    private struct Probe: JSONWritable, Sendable {
        let weight: Int

        func write(to writer: inout JSONWriter) {
            writer.bool(MultiThreadedEventLoopGroup.currentEventLoop != nil)
        }
    }

    @Test(arguments: [(1_000, "true"), (1_000_000, "false")])
    func `are written away from the connection's event loop`(weight: Int, isOnLoop: String) async throws {
        let executor = EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.any())
        let head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/")
        let response = await withTaskExecutorPreference(executor) {
            await Representation(Probe(weight: weight)).response(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            )
        }
        let writer = Written()
        try await response.body.write(writer)
        #expect(String(buffer: writer.bytes) == isOnLoop)
    }

    private final class Written: ResponseBodyWriter {
        var bytes = ByteBuffer()

        func write(_ buffer: ByteBuffer) async throws { bytes.writeImmutableBuffer(buffer) }

        func finish(_ trailers: HTTPFields?) async throws {}
    }
}
