import Foundation
import Testing

@testable import Live
@testable import ReadModels

/// What streams are told of people whose presence they watch, whatever they are read again for meanwhile.
struct PresenceStateTests {
    private let now = PresenceBoard.Moment(instant: .now, date: Date(timeIntervalSince1970: 1_700_000_000))
    private let viewer = UUID()
    private let other = UUID()
    private let stream: Subscription

    init() {
        stream = Subscription(
            id: 1,
            owner: StreamOwner(person: viewer, session: UUID(), expiresAt: .distantFuture),
            heartbeatsAreEvents: false,
            buffer: SubscriptionBuffer(from: PositionVector([0]), maxChunks: 16, maxBytes: 1 << 16)
        )
    }

    /// The viewer's stream is live, and the other is there.
    private func begun() -> PresenceState {
        var state = PresenceState(at: now.instant)
        state.board.opened(UUID(), of: other, at: now)
        state.isLive(stream)
        return state
    }

    /// The same, and the stream shows the other as online.
    private func shown() -> PresenceState {
        var state = begun()
        read(&state, isShown: true)
        let statuses = deliver(&state)
        #expect(statuses == [other: .online])
        return state
    }

    /// Reads the streams that are due: they watch the other, and the viewer, too.
    private func read(_ state: inout PresenceState, isShown: Bool) {
        for (stream, due) in state.takeDue(atMost: 100) {
            state.hasRead(targets(isShown: isShown), of: stream, due)
        }
    }

    private func targets(isShown: Bool) -> [Queries.PresenceTarget] {
        [
            Queries.PresenceTarget(person: other, isShown: isShown, lastSeen: nil),
            Queries.PresenceTarget(person: viewer, isShown: true, lastSeen: nil),
        ]
    }

    /// What the stream is told.
    private func deliver(_ state: inout PresenceState) -> [UUID: PresenceBoard.Status] {
        let deliveries = state.takeDeliveries(at: now.instant).filter { $0.streams == [stream] }
        return Dictionary(deliveries.map { ($0.person, $0.status) }) { $1 }
    }

    /// An event that ends a right passes by, which it may do more than once.
    private func rightsChange(_ state: inout PresenceState) {
        state.rightsChanged(of: [viewer], seeing: [], in: 0, at: 1)
    }

    @Test func `who is not to be seen any more is told as offline, though the stream is read again before`() {
        var state = shown()
        for _ in 0..<2 {
            rightsChange(&state)
            read(&state, isShown: false)
        }
        let statuses = deliver(&state)
        #expect(statuses == [other: .offline, viewer: .offline])
    }

    @Test func `who is not to be seen any more is told as offline again to a stream that was sent back to the log`() {
        var state = shown()
        rightsChange(&state)
        read(&state, isShown: false)
        // Dropped on its way: the stream reads the log.
        _ = deliver(&state)
        state.isLive(stream)
        read(&state, isShown: false)
        let statuses = deliver(&state)
        #expect(statuses[other] == .offline)
    }

    @Test func `what was read before a right may have ended is not told after it`() {
        var state = begun()
        read(&state, isShown: true)
        rightsChange(&state)
        let meanwhile = deliver(&state)
        #expect(meanwhile.isEmpty)
        read(&state, isShown: false)
        let statuses = deliver(&state)
        #expect(statuses[other] == .offline)
    }

    @Test func `a stream that begins is told of those alone who are there`() {
        var state = begun()
        read(&state, isShown: false)
        let statuses = deliver(&state)
        #expect(statuses.isEmpty)
    }

    @Test func `a stream is read again where a right ends while it is read whom it shows`() {
        var state = begun()
        let taken = state.takeDue(atMost: 100)
        #expect(taken.count == 1)
        state.rightsChanged(of: [], seeing: [other], in: 0, at: 1)
        for (stream, due) in taken { state.hasRead(targets(isShown: true), of: stream, due) }
        let meanwhile = deliver(&state)
        #expect(meanwhile.isEmpty)
        #expect(state.isReadDue)
        read(&state, isShown: false)
        let statuses = deliver(&state)
        #expect(statuses.isEmpty)
    }

    @Test func `what is read is no older than the newest event that may have ended a right`() {
        var state = PresenceState(at: now.instant)
        state.rightsChanged(of: [viewer], seeing: [], in: 2, at: 5)
        // Passes by a second time.
        state.rightsChanged(of: [], seeing: [other], in: 2, at: 3)
        state.rightsChanged(of: [], seeing: [other], in: 1, at: 7)
        state.isLive(stream)
        #expect(state.rightsPositions == [1: 7, 2: 5])
        _ = state.takeDue(atMost: 100)
        // The log has lost one of them, and all that a partition had.
        state.rightsChanged(of: [], seeing: [other], in: 0, at: 4)
        _ = state.takeDue(atMost: 100)
        state.forgetRights(beyond: [0, 6, 5])
        #expect(state.rightsPositions == [1: 6, 2: 5])
    }

    @Test func `an event that passes by while the log is asked what it has lost is waited for`() {
        var state = begun()
        state.rightsChanged(of: [viewer], seeing: [], in: 0, at: 3)
        let taken = state.takeDue(atMost: 100)
        state.putBack(taken)
        // Asked, the log had 4; what came then is known before its position is.
        state.rightsChanged(of: [viewer], seeing: [], in: 0, at: 5)
        state.rightsChanged(of: [viewer], seeing: [], in: 1, at: 2)
        state.forgetRights(beyond: [4, 1])
        #expect(state.rightsPositions == [0: 5, 1: 2])
        // As it is where the log has lost it.
        _ = state.takeDue(atMost: 100)
        state.forgetRights(beyond: [4, 1])
        #expect(state.rightsPositions == [0: 4, 1: 1])
    }
}
