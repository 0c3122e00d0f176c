import EventStore
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct PushHoldTests {
    @Test func `who did something within a minute is told five seconds after those who did not`() async throws {
        try await PushWorld.with { world in
            for person in [world.grace, world.alan] { try await world.register(PushWorld.fcm(), of: person) }
            try await TestDatabase.current.administrator.execute(
                """
                UPDATE parley.devices
                SET active_at = now() - CASE WHEN person_id = \(world.grace) THEN interval '0 s' ELSE interval '61 s' END
                """
            )
            // Nobody sends: what comes into the outbox stays as it is.
            let consumer = LogConsumer(
                PushReactor(platforms: [.fcm], activity: world.activity) {},
                of: world.log.store,
                behind: world.log.checkpoints,
                logger: SecretWatch.logger
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await consumer.run() }
                try await eventually("the reactor has begun") {
                    try await !world.pool.query("SELECT FROM parley.consumers WHERE name = 'push'").isEmpty
                }
                try await world.say("planted-held")
                try await eventually("both wait") { try await world.waiting() == 2 }
                let held = try await world.pool.query(
                    """
                    SELECT n.person_id FROM parley.push_notifications n
                    WHERE n.due_at = (SELECT min(x.due_at) + interval '5 s' FROM parley.push_notifications x)
                    """
                )
                #expect(try held.map { try $0.decode(0, as: UUID.self) } == [world.grace])
                group.cancelAll()
            }
        }
    }
}
