import NIOCore
import ParleyWire
import Testing

@testable import Live

struct SubscriptionBufferTests {
    private let start = PositionVector([0])
    private let ready = ByteBuffer(string: "ready")

    private func live(maxChunks: Int = 3, maxBytes: Int = 100) -> SubscriptionBuffer {
        var buffer = SubscriptionBuffer(from: start, maxChunks: maxChunks, maxBytes: maxBytes)
        buffer.goLive(from: start, with: [], at: start, ready: ready)
        _ = buffer.take()
        return buffer
    }

    private func chunk(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    private func expectTake(
        _ buffer: inout SubscriptionBuffer,
        _ delivery: SubscriptionBuffer.Delivery?,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let taken = buffer.take()
        #expect(taken == delivery, sourceLocation: location)
    }

    private func expectOffer(
        _ buffer: inout SubscriptionBuffer,
        _ chunk: ByteBuffer,
        at vector: PositionVector,
        _ isTaken: Bool,
        deferrable: Bool = false,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let taken = buffer.offer(chunk, at: vector, deferrable: deferrable)
        #expect(taken == isTaken, sourceLocation: location)
    }

    @Test func `many events are taken in one go`() {
        var buffer = live()
        expectTake(&buffer, nil)
        expectOffer(&buffer, chunk("a"), at: PositionVector([1]), true)
        expectOffer(&buffer, chunk("b"), at: PositionVector([2]), true)
        expectTake(&buffer, .write([chunk("a"), chunk("b")]))
        expectTake(&buffer, nil)
    }

    @Test func `what is deferrable waits for company`() {
        var buffer = live()
        expectOffer(&buffer, chunk("a"), at: PositionVector([1]), true, deferrable: true)
        expectTake(&buffer, nil)
        expectOffer(&buffer, chunk("b"), at: PositionVector([2]), true)
        expectTake(&buffer, .write([chunk("a"), chunk("b")]))
        expectOffer(&buffer, chunk("c"), at: PositionVector([3]), true)
        expectOffer(&buffer, chunk("d"), at: PositionVector([4]), true, deferrable: true)
        expectTake(&buffer, .write([chunk("c"), chunk("d")]))
    }

    @Test func `what is deferrable waits until it is let go, or there is an end`() {
        var buffer = live()
        expectOffer(&buffer, chunk("a"), at: PositionVector([1]), true, deferrable: true)
        buffer.flush()
        expectTake(&buffer, .write([chunk("a")]))
        expectOffer(&buffer, chunk("b"), at: PositionVector([2]), true, deferrable: true)
        expectTake(&buffer, nil)
        buffer.end(.goAway(.draining))
        expectTake(&buffer, .write([chunk("b")]))
        expectTake(&buffer, .end(.goAway(.draining)))
    }

    @Test func `what is deferrable waits for no longer than half of the room is free`() {
        var buffer = live(maxChunks: 4)
        for position in 1...2 {
            expectOffer(&buffer, chunk("a"), at: PositionVector([Int64(position)]), true, deferrable: true)
            expectTake(&buffer, nil)
        }
        expectOffer(&buffer, chunk("a"), at: PositionVector([3]), true, deferrable: true)
        expectTake(&buffer, .write([chunk("a"), chunk("a"), chunk("a")]))
    }

    @Test func `an overflow drops all and goes on from what the writer has`() {
        var buffer = live(maxChunks: 2)
        expectOffer(&buffer, chunk("a"), at: PositionVector([1]), true)
        _ = buffer.take()
        expectOffer(&buffer, chunk("b"), at: PositionVector([2]), true)
        expectOffer(&buffer, chunk("c"), at: PositionVector([3]), true)
        expectOffer(&buffer, chunk("d"), at: PositionVector([4]), false)
        buffer.fallBehind(until: PositionVector([4]))
        expectTake(&buffer, .catchUp(from: PositionVector([1]), until: PositionVector([4])))
        expectTake(&buffer, nil)
    }

    @Test func `bytes are bounded too, but one event always fits`() {
        var buffer = live(maxBytes: 4)
        expectOffer(&buffer, chunk("longer than four"), at: PositionVector([1]), true)
        expectOffer(&buffer, chunk("x"), at: PositionVector([2]), false)
    }

    @Test func `ready is said once, and again only if it was dropped unsaid`() {
        var buffer = SubscriptionBuffer(from: start, maxChunks: 3, maxBytes: 100)
        buffer.goLive(from: start, with: [chunk("a")], at: PositionVector([1]), ready: ready)
        buffer.fallBehind(until: PositionVector([2]))
        expectTake(&buffer, .catchUp(from: start, until: PositionVector([2])))
        buffer.goLive(from: PositionVector([2]), with: [], at: PositionVector([2]), ready: ready)
        expectTake(&buffer, .write([ready]))
        buffer.fallBehind(until: PositionVector([3]))
        expectTake(&buffer, .catchUp(from: PositionVector([2]), until: PositionVector([3])))
        buffer.goLive(from: PositionVector([3]), with: [], at: PositionVector([3]), ready: ready)
        expectTake(&buffer, nil)
    }

    @Test func `what was offered before an end is still written`() {
        var buffer = live()
        expectOffer(&buffer, chunk("a"), at: PositionVector([1]), true)
        buffer.end(.goAway(.draining))
        buffer.end(.goAway(.replaced))
        expectOffer(&buffer, chunk("b"), at: PositionVector([2]), true)
        expectTake(&buffer, .write([chunk("a")]))
        expectTake(&buffer, .end(.goAway(.draining)))
    }

    @Test func `a revoked stream gets nothing more`() {
        var buffer = live()
        expectOffer(&buffer, chunk("a"), at: PositionVector([1]), true)
        buffer.end(.goAway(.revoked))
        expectTake(&buffer, .end(.goAway(.revoked)))
    }

    @Test func `a client that has gone is told nothing`() {
        var buffer = live()
        expectOffer(&buffer, chunk("a"), at: PositionVector([1]), true)
        buffer.end(.goAway(.draining))
        buffer.end(.closed)
        buffer.end(.goAway(.revoked))
        expectTake(&buffer, .end(.closed))
    }
}
