import Synchronization
import TestSupport
import Testing

@testable import Attachments

@Suite(.timeLimit(.minutes(2))) struct `Pictures that are to be made` {
    @Test func `wait in their order while so many are made, and no more of them than there is room for`() async throws {
        let queue = ImageQueue(width: 2, mostWaiting: 3)
        let begun = AsyncStream<Void>.makeStream()
        let gates = (0..<2).map { _ in AsyncStream<Void>.makeStream() }
        let order = Order()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for gate in gates {
                group.addTask {
                    try await queue.pass {
                        begun.continuation.yield()
                        _ = await gate.stream.first { _ in true }
                    }
                }
            }
            var beginnings = begun.stream.makeAsyncIterator()
            for _ in gates { _ = await beginnings.next() }
            for place in 0..<3 {
                group.addTask { try await queue.pass { order.places.withLock { $0.append(place) } } }
                while queue.waiting <= place { await Task.pause() }
            }
            await #expect(throws: AttachmentError.overloaded) { try await queue.pass {} }
            #expect(order.places.withLock { $0 }.isEmpty)
            // One place is free, and all that wait go through it.
            gates[0].continuation.yield()
            while order.places.withLock({ $0.count }) < 3 { await Task.pause() }
            #expect(order.places.withLock { $0 } == [0, 1, 2])
            gates[1].continuation.yield()
            try await group.waitForAll()
        }
        #expect(queue.waiting == 0)
        try await queue.pass {}
    }

    @Test func `let the next one go where one cannot be made`() async throws {
        let queue = ImageQueue(width: 1, mostWaiting: 1)
        for _ in 0..<3 {
            await #expect(throws: AttachmentError.unreadableImage) {
                try await queue.pass { () async throws -> Void in throw AttachmentError.unreadableImage }
            }
        }
        let made = try await queue.pass { 7 }
        #expect(made == 7)
    }
}

/// The places in the order in which they were passed.
private final class Order: Sendable {
    let places = Mutex<[Int]>([])
}
