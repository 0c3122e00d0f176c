import EventSourcing
import EventStore
import Foundation
import Messaging
import ParleyWire

/// Who does not want others to know what was read: the setting `readReceipts`, asked for with every receipt.
///
/// A process that is alone remembers it for a moment, so that it costs nothing in a conversation that is being read. Where
/// there are others the log is asked each time: a change made there passes by here too late for what is read right after it,
/// and what others were shown once stays shown.
final class ReadPrivacy: Sendable {
    private static let memory: Duration = .seconds(5)
    /// When more are remembered, all are forgotten.
    private static let limit = 50_000

    private let profiles: Profiles
    private let state: EpochMemory<State>

    private struct State: Sendable {
        var known: [UUID: (isPrivate: Bool, at: ContinuousClock.Instant)] = [:]
        /// Counts changes: what was read before one may be older.
        var changes = 0
    }

    init(profiles: Profiles) {
        self.profiles = profiles
        state = EpochMemory(profiles.eventStore.epoch) { State() }
        profiles.eventStore.feed.onEvents { [weak self] events in
            for event in events where event.stream.category == .user {
                guard case .event(let body as UserEvent) = event.body, case .profileChanged(let change) = body,
                    change.readReceipts != nil
                else { continue }
                self?.changed(event.stream.id)
            }
        }
    }

    func isPrivate(_ person: UUID) async throws -> Bool {
        guard profiles.eventStore.formats.isAlone else { return try await !profiles.settings(of: person).readReceipts }
        let now = ContinuousClock.now
        let generation = state.generation
        let (known, changes) = state.withLock { ($0.known[person], $0.changes) }
        if let known, now - known.at < Self.memory { return known.isPrivate }
        let isPrivate = try await !profiles.settings(of: person).readReceipts
        state.withLock(of: generation) { state in
            guard state.changes == changes else { return }
            if state.known.count >= Self.limit { state.known = [:] }
            state.known[person] = (isPrivate, now)
        }
        return isPrivate
    }

    func changed(_ person: UUID) {
        state.withLock { state in
            state.changes += 1
            state.known[person] = nil
        }
    }
}
