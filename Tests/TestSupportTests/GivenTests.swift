import EventSourcing
import Foundation
import TestSupport
import Testing

@Suite
struct `A specification` {
    @Test func `passes where exactly the expected events follow`() {
        Given<Counter>().when(.add(2)).then(.added(2))
        Given<Counter>(.added(2)).when(.add(1)).then(.added(1))
    }

    @Test func `passes where nothing follows, as expected`() {
        Given<Counter>(.added(2)).when(.add(0)).thenNothing()
    }

    @Test func `passes where the expected rejection follows`() {
        Given<Counter>(.added(2)).when(.add(2)).thenRejected(.full)
    }

    @Test func `tells events from rejections`() {
        guard case .events([.added(2)]) = Given<Counter>().when(.add(2)) else {
            Issue.record("two fit into three")
            return
        }
        guard case .rejection(.full) = Given<Counter>(.added(2)).when(.add(2)) else {
            Issue.record("four do not fit into three")
            return
        }
    }
}

/// Counts up to three.
private enum Counter: Decider {
    enum Command { case add(Int) }
    enum Rejection: Error { case full }

    enum Event: DomainEvent, Equatable {
        case added(Int)

        static let kinds = [EventKind("added", in: StreamCategory(rawValue: "counter"), format: 1)]
        var kind: EventKind { Self.kinds[0] }
        var subject: UUID? { nil }
        func encodePayload() throws -> [UInt8] { [] }
        func encodePersonal() throws -> [UInt8]? { nil }

        init(_ kind: EventKind, _ content: StoredContent, _ context: DecodingContext) throws {
            throw UndecodableEvent(kind)
        }
    }

    static let name = "counter"
    static let snapshotVersion = 1
    static let streams: [AggregateStream] = []
    static let initialState = 0

    static func decide(_ command: Command, given state: Int) throws(Rejection) -> [Event] {
        guard case .add(let number) = command, number > 0 else { return [] }
        guard state + number <= 3 else { throw .full }
        return [.added(number)]
    }

    static func evolve(_ state: inout Int, _ event: Event) {
        if case .added(let number) = event { state += number }
    }
}
