import EventStore
import Migrations
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import API

/// Several people do all that clients can do, at random and over HTTP, each time at one of two servers, while their streams
/// are cut and go on at either.
@Suite(.database, .timeLimit(.minutes(15))) struct WalkTests {
    @Test(arguments: 1...4)
    func `what clients were told is what is so, as counted by hand, and nobody sees more`(seed: UInt64) async throws {
        let files = TestCluster.newFileDirectory()
        let clock = TestClock()
        try await LiveServer.with {
            ($0.files, $0.commandClock) = (files, clock.command)
        } _: { one in
            try await LiveServer.with {
                ($0.files, $0.commandClock) = (files, clock.command)
            } _: { other in
                let servers = [one, other]
                let people = try await one.people(6)
                for server in servers { try await server.waitForReadModels() }
                // In every other walk somebody is forgotten at last, and hears of all that was before.
                let leaving = seed.isMultiple(of: 2) ? people[Int(seed) % people.count] : nil
                let (quiet, farewell) = (Quiet(), Quiet())
                let followers = people.enumerated().map { place, person in
                    let end = person == leaving ? farewell : quiet
                    return WalkFollower(person, servers, end, SeededRandom(seed: seed &* 31 &+ UInt64(place)))
                }
                var walk = Walk(servers, clock, people, SeededRandom(seed: seed))
                let shown = try await withThrowingTaskGroup(of: (LivePerson, Set<Int>).self) { tasks in
                    for follower in followers {
                        tasks.addTask { (follower.person, try await follower.follow()) }
                    }
                    try await walk.go(steps: 300)
                    for server in servers { try await server.waitForReadModels() }
                    var received: [LivePerson: Set<Int>] = [:]
                    if let leaving {
                        await farewell.end()
                        // Nobody else is through by now.
                        if let (person, tags) = try await tasks.next() { received[person] = tags }
                        #expect(received.keys.first == leaving)
                        try await walk.erase(leaving)
                        for server in servers { try await server.waitForReadModels() }
                    }
                    await quiet.end()
                    return try await tasks.reduce(into: received) { $0[$1.0] = $1.1 }
                }
                for (person, tags) in shown {
                    let world = walk.world
                    #expect(tags.allSatisfy { world.isShown($0, to: person.id) }, "\(person.name) was told too much")
                }
                try await WalkCheck(servers: servers, people: people, world: walk.world).run()
                try await expectRebuildIdentical(one)
            }
        }
    }

    @Test func `a command that never succeeds is named`() {
        var tally = WalkTally()
        for command in WalkCommand.allCases {
            for _ in 0..<WalkTally.leastDone { tally.note(command, isDone: command != .unpin) }
        }
        #expect(tally.isShort(of: .unpin) && !tally.isShort(of: .pin))
        #expect(tally.shortfalls == ["unpin was done 0 times of \(WalkTally.leastDone)"])
    }

    private func expectRebuildIdentical(_ server: LiveServer) async throws {
        let pool = TestDatabase.current.pool
        let findings = try await Verification(pool: pool, partitions: 4, includingLog: true).run().findings
        #expect(findings == [])
        let rebuild = Rebuild(
            log: server.eventStore.log,
            database: PostgresConfiguration(url: TestDatabase.current.url),
            migrations: Migrations.readModels,
            logger: SecretWatch.logger
        )
        let comparison = try #require(try await rebuild.run(verifying: true).comparison)
        #expect(comparison.allSatisfy { $0.isEqual })
    }
}
