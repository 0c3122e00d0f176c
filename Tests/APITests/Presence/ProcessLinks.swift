import EventSourcing
import EventStore
import Foundation
import ReadModels
import Synchronization

@testable import API
@testable import Live

/// Stands for the hints between servers: passes on at once what one tells the others, unless it is cut.
final class ProcessLinks: Sendable {
    private struct State {
        var servers: [UUID: LiveServer.Parts] = [:]
        var isCut = false

        func others(of server: UUID) -> [LiveServer.Parts] {
            guard !isCut, servers[server] != nil else { return [] }
            return servers.filter { $0.key != server }.map(\.value)
        }
    }

    private let state = Mutex(State())

    /// Joins a server, which hears of nothing that was told before, and asks.
    func join(_ server: UUID, _ parts: LiveServer.Parts) {
        parts.hub.presences.onNews { [self] news in
            for other in others(of: server) { other.hub.presences.receive(news, from: server) }
        }
        parts.eventStore.feed.onCommit { [self] events in
            let heads = Dictionary(events.map { ($0.partition, $0.position) }) { max($0, $1) }
            for other in others(of: server) { other.eventStore.feed.hint(heads) }
        }
        parts.checkpoints.onProjected { [self] partition, position in
            for other in others(of: server) { other.follower.hint([partition: position]) }
        }
        let isCut = state.withLock { state in
            state.servers[server] = parts
            return state.isCut
        }
        if !isCut { parts.hub.presences.hintOfGap() }
    }

    /// The server is dead to the others.
    func leave(_ server: UUID) {
        state.withLock { $0.servers[server] = nil }
    }

    func cut() {
        state.withLock { $0.isCut = true }
    }

    func mend() {
        let servers = state.withLock { state in
            state.isCut = false
            return Array(state.servers.values)
        }
        for server in servers { server.hub.presences.hintOfGap() }
    }

    func typing(_ isTyping: Bool, by person: UUID, in conversation: UUID, from server: UUID) {
        for other in others(of: server) { other.hub.publishTyping(isTyping, by: person, in: conversation) }
    }

    private func others(of server: UUID) -> [LiveServer.Parts] {
        state.withLock { $0.others(of: server) }
    }
}
