import Foundation
import Synchronization

@testable import Live

/// The time of several servers, which stands still until a test turns it.
final class HandTurnedClock: Sendable {
    fileprivate struct State {
        var elapsed: Duration = .zero
        var servers: Set<UUID> = []
        var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]
        var turner: CheckedContinuation<Void, Never>?

        /// Whether every server has looked at what is due.
        var isAtRest: Bool { waiting.count == servers.count }
    }

    private let begin = ContinuousClock.now
    private let state = Mutex(State())

    /// Seconds since the beginning.
    var seconds: Double { state.withLock { $0.elapsed } / .seconds(1) }

    private var now: PresenceBoard.Moment {
        let elapsed = state.withLock { $0.elapsed }
        return PresenceBoard.Moment(
            instant: begin + elapsed,
            date: Date(timeIntervalSince1970: 1_700_000_000 + elapsed / .seconds(1))
        )
    }

    /// The clock of one server, until it leaves.
    func join(_ server: UUID) -> LiveClock {
        state.withLock { _ = $0.servers.insert(server) }
        return LiveClock(now: { [self] in now }, wait: { [self] in await wait(server) })
    }

    /// The server is not waited for any more.
    func leave(_ server: UUID) {
        let (waiting, turner) = state.withLock { state in
            state.servers.remove(server)
            return (state.waiting.removeValue(forKey: server), state.takeTurner())
        }
        waiting?.resume()
        turner?.resume()
    }

    /// Moves on, and returns when every server has looked at what is due then.
    func turn(_ time: Duration) async {
        await rest()
        let waiting = state.withLock { state in
            state.elapsed += time
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for server in waiting { server.resume() }
        await rest()
    }

    private func rest() async {
        await withCheckedContinuation { continuation in
            let isAtRest = state.withLock { state in
                if !state.isAtRest { state.turner = continuation }
                return state.isAtRest
            }
            if isAtRest { continuation.resume() }
        }
    }

    private func wait(_ server: UUID) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isOver, turner) = state.withLock { state in
                    guard state.servers.contains(server), !Task.isCancelled else { return (true, state.takeTurner()) }
                    state.waiting[server] = continuation
                    return (false, state.takeTurner())
                }
                if isOver { continuation.resume() }
                turner?.resume()
            }
        } onCancel: {
            leave(server)
        }
    }
}

extension HandTurnedClock.State {
    fileprivate mutating func takeTurner() -> CheckedContinuation<Void, Never>? {
        guard isAtRest else { return nil }
        defer { turner = nil }
        return turner
    }
}
