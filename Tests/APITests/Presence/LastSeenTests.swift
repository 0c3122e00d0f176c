import Foundation
import ParleyWire
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Live

/// When people were last seen, from their streams to those who ask.
@Suite(.database, .timeLimit(.minutes(10))) struct LastSeenTests {
    private func presence(of person: LivePerson, as other: LivePerson, _ server: LiveServer) async throws -> Presence {
        try await server.get(User.self, "/v1/users/\(WireID(person.id))", as: other).presence
    }

    private func seen(after seconds: Double) -> Presence {
        Presence(status: .offline, lastSeen: Date(timeIntervalSince1970: 1_700_000_000 + seconds))
    }

    @Test func `is kept when a stream ends, and when its server does`() async throws {
        let (clock, id) = (HandTurnedClock(), UUID())
        let (registered, tell) = AsyncStream.makeStream(of: [LivePerson].self)
        try await LiveServer.with { options in
            options.clock = clock.join(id)
        } _: { server in
            let people = try await server.people(3)
            _ = try await server.startGroup(people)
            try await server.waitForReadModels()
            let closed = try await server.readyStream(of: people[1])
            let open = try await server.readyStream(of: people[2])
            await clock.turn(.seconds(60))
            closed.cut()
            let (session, person) = (people[1].session, people[1].id)
            let presences = server.hub.presences
            while presences.state.withLock({ $0.board.isHere(session, of: person) }) { await Task.yield() }
            // Nobody is told of it before the grace is over.
            await clock.turn(.seconds(60))
            let deadline = try await TestDeadline.within(5)
            while try await presence(of: people[1], as: people[0], server) != seen(after: 60) {
                try await deadline.check("the time when a stream has ended is kept")
            }
            #expect(try await presence(of: people[2], as: people[0], server).status == .online)
            tell.yield(people)
            _ = open
        }
        tell.finish()
        clock.leave(id)
        var people: [LivePerson] = []
        for await known in registered { people = known }
        try #require(people.count == 3)
        let (asker, closed, open) = (people[0], people[1], people[2])
        // Another server knows no more than what is stored.
        try await LiveServer.with { server in
            try await server.waitForReadModels()
            #expect(try await presence(of: closed, as: asker, server) == seen(after: 60))
            #expect(try await presence(of: open, as: asker, server) == seen(after: 120))
        }
    }
}
