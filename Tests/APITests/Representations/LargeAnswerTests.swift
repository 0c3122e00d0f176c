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
    private struct Probe: JSONWritable, Encodable, Sendable {
        let weight: Int

        private var isOnLoop: Bool { MultiThreadedEventLoopGroup.currentEventLoop != nil }

        func write(to writer: inout JSONWriter) {
            writer.bool(isOnLoop)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(isOnLoop)
        }
    }

    enum Kind: CaseIterable, Sendable {
        case representation, stable, written, encoded
    }

    @Test(arguments: Kind.allCases, [(1_000, "true"), (1_000_000, "false")])
    func `are written away from the connection's event loop`(_ kind: Kind, _ size: (Int, String)) async throws {
        let (weight, isOnLoop) = size
        let executor = EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.any())
        let head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/")
        let probe = Probe(weight: weight)
        let response = await withTaskExecutorPreference(executor) {
            switch kind {
            case .representation:
                await Representation(probe).response(to: Request(head: head, body: RequestBody(buffer: ByteBuffer())))
            case .stable:
                await Representation(encoding: probe, weighing: weight).response(
                    to: Request(head: head, body: RequestBody(buffer: ByteBuffer()))
                )
            case .written: await JSONBody.response(writing: probe, status: .ok, headers: [:])
            case .encoded: await JSONBody.response(probe, weighing: weight)
            }
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
