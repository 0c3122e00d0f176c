import EventStore
import Foundation
import Logging
import NIOCore
import ParleyWire
import ReadModels
import Synchronization

extension Presences {
    /// How often it is written down when people were seen.
    private static let writing: Duration = .seconds(5)
    /// How often also of those who are there: so much may be lost where the process ends without a word.
    private static let present: Duration = .seconds(300)
    /// Then it is tried again to read what could not be read.
    private static let pause: Duration = .seconds(1)

    /// Works until cancelled.
    func run(sending send: @escaping @Sendable (ByteBuffer, Subscription) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.keepTime(send) }
            group.addTask { await self.readTargets() }
            group.addTask { await self.writeLastSeen() }
        }
        // Who was here is seen no later than now, and at other processes from now on. On a task that is not cancelled.
        let here = state.withLock { Array($0.board.here) }
        self.publish(PresenceNews(statuses: Dictionary(here.map { ($0, 0) }) { $1 }))
        await Task { await write(takeSeen(withPresent: true)) }.value
    }

    private func keepTime(_ send: @Sendable (ByteBuffer, Subscription) -> Void) async {
        while !Task.isCancelled {
            await clock.wait()
            publishDue(at: clock.now(), send)
        }
    }

    /// Publishes what is due at a moment: to streams, and to other processes.
    func publishDue(at now: PresenceBoard.Moment, _ send: (ByteBuffer, Subscription) -> Void) {
        let deliveries = state.withLock { state in
            state.board.advance(to: now)
            return state.takeDeliveries(at: now.instant)
        }
        // One piece for each stream: in a wave of sign-ons each is told of many at once.
        var pieces: [Subscription: ByteBuffer] = [:]
        for delivery in deliveries {
            let presence = Presence(status: delivery.status.wire, lastSeen: delivery.lastSeen)
            let event = StreamEvent.PresenceUpdated(userId: WireID(delivery.person), presence: presence)
            let bytes = EventBlock(.presenceUpdated(event)).withoutID
            for stream in delivery.streams where pieces[stream]?.writeImmutableBuffer(bytes) == nil {
                pieces[stream] = bytes
            }
        }
        for (stream, piece) in pieces { send(piece, stream) }
        self.publish(takeNews(at: now.instant))
    }

    // MARK: Whom streams are told of

    private func readTargets() async {
        for await _ in reads {
            while !Task.isCancelled, state.withLock({ $0.isReadDue }) {
                if await !readDue() { try? await Task.sleep(for: Self.pause) }
            }
            // Those that waited may have ended meanwhile.
            noteStandstills(before: [:])
        }
    }

    /// - Returns: whether it could be read now.
    private func readDue() async -> Bool {
        let (taken, positions) = state.withLock { ($0.takeDue(atMost: Self.readAtOnce), $0.rightsPositions) }
        do {
            guard try await checkpoints.wait(for: positions, timeout: .seconds(2)) else {
                state.withLock { $0.putBack(taken) }
                // By what the log holds now: the event may be known here before its position is.
                try await feed.poll()
                let heads = feed.heads
                let left = state.withLock { state in
                    state.forgetRights(beyond: heads)
                    return state.rightsPositions
                }
                noteStandstills(before: left)
                return false
            }
            noteStandstills(before: [:])
            let targets = try await queries.presenceTargets(of: taken.map { ($0.stream.person, $0.stream.session) })
            state.withLock { state in
                for (taken, targets) in zip(taken, targets) { state.hasRead(targets, of: taken.stream, taken.due) }
            }
            return true
        } catch {
            state.withLock { $0.putBack(taken) }
            if !Task.isCancelled {
                logger.warning("presence cannot be read", metadata: ErrorMetadata.describing(error))
            }
            return false
        }
    }

    /// Logs where the read models have not come to one of these events, by partition.
    private func noteStandstills(before positions: [Int: Int64]) {
        let missing = positions.filter { checkpoints.position(of: $0.key) < $0.value }
        let due = standstills.withLock { $0.wait(for: missing, at: clock.now().instant) }
        for (partition, position) in due {
            logger.warning(
                "presence waits: the read models do not show an event yet that may have ended a right",
                metadata: [
                    "partition": "\(partition)", "position": "\(position)",
                    "projected": "\(checkpoints.position(of: partition))",
                ]
            )
        }
    }

    // MARK: Last seen

    private func writeLastSeen() async {
        var presentAt = ContinuousClock.now
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.writing)
            let isPresentDue = ContinuousClock.now - presentAt >= Self.present
            if isPresentDue { presentAt = .now }
            let seen = takeSeen(withPresent: isPresentDue)
            // What was taken is written though the server stops meanwhile: nobody would take it again.
            await Task { await write(seen) }.value
        }
    }

    private func takeSeen(withPresent: Bool) -> [UUID: Date] {
        state.withLock { state in
            var seen = state.board.takeSeen()
            if withPresent { for person in state.board.here { seen[person] = clock.now().date } }
            return seen
        }
    }

    private func write(_ seen: [UUID: Date]) async {
        do {
            try await rows.note(seen)
        } catch {
            // It is no more than the time when somebody was seen.
            logger.warning("when people were last seen cannot be kept", metadata: ErrorMetadata.describing(error))
        }
    }
}
