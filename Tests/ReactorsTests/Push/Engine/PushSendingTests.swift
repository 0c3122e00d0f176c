import EventStore
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct PushSendingTests {
    @Test func `a message reaches the devices of all members but its sender's, at once and once`() async throws {
        let android = ScriptedProvider(.fcm)
        let apple = ScriptedProvider(.apns)
        try await PushWorld.with(android, apple) { world in
            for person in [world.ada, world.grace, world.alan] { try await world.register(PushWorld.fcm(), of: person) }
            try await world.register(PushWorld.apns(), of: world.grace)
            try await world.pushing {
                try await world.say("planted-hello")
                try await eventually("three are told") { android.sent.count + apple.sent.count >= 3 }
                try await eventually("it is noted") { try await world.outcomes().count == 3 }
                #expect(android.bodies == ["planted-hello", "planted-hello"])
                #expect(apple.bodies == ["planted-hello"])
                #expect(apple.alerts.first?.title == "Somebody · Friends")
                #expect(apple.alerts.first?.badge == 1)
                #expect(try await world.outcomes() == Array(repeating: "alert accepted", count: 3))
                #expect(try await world.waiting() == 0)
            }
        }
    }

    @Test func `what a person has muted, blocked or left says nothing`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            for person in [world.grace, world.alan] { try await world.register(PushWorld.fcm(), of: person) }
            try await world.mute(world.room, for: world.grace)
            try await world.pushing {
                try await world.say("planted-muted")
                try await eventually("Alan is told") { provider.sent.count == 1 }
                try await world.log.handle(.leave(person: world.alan), on: world.room, by: world.alan)
                try await world.say("planted-left")
                let other = UUID()
                try await world.log.startGroup(other, world.ada, world.alan)
                try await world.log.send("planted-last", to: other, by: world.ada)
                try await eventually("Alan is told elsewhere") { provider.bodies.contains("planted-last") }
                #expect(provider.bodies == ["planted-muted", "planted-last"])
            }
        }
    }

    @Test func `a flood is one notification at once and one summary, not one for each message`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.pushing {
                try await world.say("planted-first")
                try await eventually("the first is told") { try await world.outcomes().count == 1 }
                for index in 0..<20 { try await world.say("planted-more \(index)") }
                try await eventually("the rest waits") { try await world.newest() == 21 }
                #expect(try await world.waiting() == 1)
                #expect(provider.bodies == ["planted-first"])
                try await world.age(by: "10 seconds")
                try await eventually("the summary is told") { provider.sent.count == 2 }
                #expect(provider.bodies == ["planted-first", "21 new messages"])
            }
        }
    }

    @Test func `who is doing something is told after five seconds, unless it was read by then`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            for person in [world.grace, world.alan] {
                try await world.register(PushWorld.fcm(), of: person)
                world.activity.note(person)
            }
            try await world.pushing {
                try await world.say("planted-held")
                try await eventually("both wait") { try await world.waiting() == 2 }
                #expect(provider.sent.isEmpty)
                try await world.read(1, by: world.grace)
                try await eventually("the mark is seen") {
                    try await world.log.checkpoints.wait(
                        for: Dictionary(
                            uniqueKeysWithValues: world.log.store.log.heads().enumerated().map { ($0, $1) }
                        ),
                        timeout: .seconds(10)
                    )
                }
                try await world.age(by: "5 seconds")
                try await eventually("one is told") { try await world.outcomes().count == 2 }
                #expect(provider.sent.count == 1)
                #expect(Set(try await world.outcomes()) == ["alert accepted", "alert dropped read"])
            }
        }
    }

    @Test func `what was read elsewhere is taken away`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.pushing {
                try await world.say("planted-read")
                try await eventually("it is told") { try await world.outcomes().count == 1 }
                try await world.read(1, by: world.grace)
                try await eventually("it is taken away") { try await world.outcomes().count == 2 }
                #expect(provider.sent.last?.notification.kind == .clear)
                #expect(provider.sent.last?.notification.badge == 0)
                let rows = try await world.pool.query("SELECT FROM parley.push_notifications")
                #expect(rows.isEmpty)
            }
        }
    }

    /// Grace has a device and is doing something, so that what she is sent waits for five seconds.
    private static func whileGraceIsActive(
        _ provider: ScriptedProvider,
        _ body: @Sendable (PushWorld) async throws -> Void
    ) async throws {
        try await PushWorld.with(provider) { world in
            try await world.register(PushWorld.fcm(), of: world.grace)
            world.activity.note(world.grace)
            try await world.pushing { try await body(world) }
        }
    }

    @Test func `what was deleted before it could be sent is not sent`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await Self.whileGraceIsActive(provider) { world in
            let message = try await world.say("planted-deleted")
            try await eventually("it waits") { try await world.waiting() == 1 }
            let facts = MessageFacts(id: message, seq: 1, sender: world.ada, sentAt: Date(), version: 2)
            let deletion = DeleteMessage(message: facts, actor: world.ada)
            try await world.log.handle(.deleteMessage(deletion), on: world.room, by: world.ada)
            try await eventually("the read models show it") {
                try await !world.pool.query(
                    "SELECT FROM read_live.messages WHERE message_id = \(message) AND deleted_at IS NOT NULL"
                ).isEmpty
            }
            try await world.age(by: "5 seconds")
            try await eventually("it is dropped") { try await world.outcomes().count == 1 }
            #expect(provider.sent.isEmpty)
        }
    }

    @Test func `of several messages that wait nothing is told once their sender is blocked`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await Self.whileGraceIsActive(provider) { world in
            try await world.say("planted-blocked")
            try await world.say("planted-blocked, too")
            try await eventually("they wait") { try await world.newest() == 2 }
            try await world.block(world.ada, by: world.grace)
            try await world.projected()
            try await world.age(by: "5 seconds")
            try await eventually("they are dropped") {
                try await world.outcomes() == ["alert dropped blocked"]
            }
            #expect(provider.sent.isEmpty)
        }
    }

    @Test func `a summary counts what is left of those that wait`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await Self.whileGraceIsActive(provider) { world in
            try await world.say("planted-blocked")
            try await world.say("planted-left", by: world.alan)
            try await world.say("planted-left, too", by: world.alan)
            try await eventually("they wait") { try await world.newest() == 3 }
            try await world.block(world.ada, by: world.grace)
            try await world.projected()
            try await world.age(by: "5 seconds")
            try await eventually("the summary is told") { try await world.outcomes() == ["alert accepted"] }
            #expect(provider.bodies == ["2 new messages"])
        }
    }

    @Test func `an outage of a day ends with one digest of each conversation, without a text`() async throws {
        let provider = ScriptedProvider(.fcm) { _, _ in .retry(after: nil, reason: "503") }
        try await PushWorld.with(provider) { world in
            try await world.register(PushWorld.fcm(), of: world.grace)
            let other = UUID()
            try await world.log.startGroup(other, world.ada, world.grace, world.alan)
            try await world.pushing {
                for index in 0..<50 { try await world.say("planted-outage \(index)") }
                for index in 0..<3 { try await world.log.send("planted-outage \(index)", to: other, by: world.ada) }
                try await eventually("everything is queued, and was tried") {
                    let rows = try await world.pool.query(
                        """
                        SELECT FROM parley.push_notifications
                        WHERE (conversation_id = \(world.room) AND pending = 50)
                            OR (conversation_id = \(other) AND pending = 3)
                        """
                    )
                    return rows.count == 2 && !provider.sent.isEmpty
                }
            }
            try await world.age(by: "1 day")
            provider.answers { _, _ in .accepted }
            let before = provider.sent.count
            try await world.pushing {
                try await eventually("both digests are told") {
                    try await world.outcomes() == ["digest accepted", "digest accepted"]
                }
                #expect(provider.sent.count == before + 2)
                #expect(Set(provider.bodies.suffix(2)) == ["50 new messages", "3 new messages"])
                #expect(Set(provider.sent.suffix(2).map(\.notification.conversationID)) == [world.room, other])
            }
        }
    }

    @Test func `a process that is killed in the middle of sending has it sent again, with the same id`() async throws {
        let silent = ScriptedProvider(.fcm) { _, _ in
            // Accepted or not: nobody hears of it.
            try? await untilCancelled()
            return .retry(after: nil, reason: "cancelled")
        }
        try await PushWorld.with(silent) { world in
            try await world.register(PushWorld.fcm(), of: world.grace)
            let claim = try await world.killed(silent)
            #expect(claim != nil)
            let provider = ScriptedProvider(.fcm)
            // Whoever comes after waits for the end of the claim.
            try await world.age(by: "30 seconds")
            try await world.pushing([provider]) {
                try await eventually("it is sent again") { try await world.outcomes() == ["alert accepted"] }
                #expect(provider.sent.count == 1)
                #expect(provider.sent.first?.notification.id == silent.sent.first?.notification.id)
            }
        }
    }

    @Test func `a provider that hangs holds up no other`() async throws {
        let hanging = ScriptedProvider(.fcm) { _, _ in
            try? await untilCancelled()
            return .retry(after: nil, reason: "cancelled")
        }
        let apple = ScriptedProvider(.apns)
        try await PushWorld.with(hanging, apple) { world in
            try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.register(PushWorld.apns(), of: world.alan)
            try await world.pushing {
                for index in 0..<10 {
                    let room = UUID()
                    try await world.log.startGroup(room, world.ada, world.grace, world.alan)
                    try await world.log.send("planted-\(index)", to: room, by: world.ada)
                }
                try await eventually("Apple has all") { apple.sent.count == 10 }
                try await eventually("the other has them, too, and says nothing") { hanging.sent.count == 10 }
                try await eventually("and all of Apple's are settled") { try await world.outcomes().count == 10 }
            }
        }
    }

    @Test func `a service that hangs leaves room for the other of its platform`() async throws {
        let apple = ScriptedProvider(.apns) { _, address in
            guard case .apns(_, _, true) = address else { return .accepted }
            try? await untilCancelled()
            return .retry(after: nil, reason: "cancelled")
        }
        try await PushWorld.with(apple) { world in
            let stranger = UUID()
            try await world.log.register(stranger)
            for _ in 0..<45 { try await world.register(PushWorld.apns(isSandbox: true), of: world.grace) }
            let phone = PushWorld.apns()
            try await world.register(phone, of: world.alan)
            try await world.pushing {
                // More than are under way at once.
                for index in 0..<3 {
                    let room = UUID()
                    try await world.log.startGroup(room, world.ada, world.grace, stranger)
                    try await world.log.send("planted-\(index)", to: room, by: world.ada)
                }
                try await eventually("its share is under way") { apple.sent.count >= PushWorker.slotsOfOrigin }
                try await world.say("planted-beside")
                try await eventually("the other is told") { apple.sent.contains { $0.address == phone } }
                #expect(apple.sent.count == PushWorker.slotsOfOrigin + 1)
            }
        }
    }

    @Test func `a person with very many devices keeps the newest, and harms nobody`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            for _ in 0..<(Devices.limit + 20) { try await world.register(PushWorld.fcm(), of: world.grace) }
            try await world.register(PushWorld.fcm("alan"), of: world.alan)
            #expect(try await world.devices.list(of: world.grace).count == Devices.limit)
            try await world.pushing {
                try await world.say("planted-many")
                try await eventually("all are told") { provider.sent.count == Devices.limit + 1 }
                #expect(provider.sent.contains { $0.address == PushWorld.fcm("alan") })
            }
        }
    }

    @Test func `an erased person's devices are told nothing, and their addresses cannot be read`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.register(PushWorld.fcm(), of: world.alan)
            // The key goes first: what was left behind is of no use.
            try await world.log.store.destroyKey(of: world.grace)
            try await world.pushing {
                try await world.say("planted-erased")
                try await eventually("both are looked at") { try await world.outcomes().count == 2 }
                #expect(provider.sent.count == 1)
                #expect(Set(try await world.outcomes()) == ["alert accepted", "alert dropped noAddress"])
            }
            try await Devices.forget(world.grace, on: world.pool)
            let rows = try await world.pool.query("SELECT FROM parley.devices WHERE person_id = \(world.grace)")
            #expect(rows.isEmpty)
        }
    }

    @Test func `two processes send everything once`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            for person in [world.grace, world.alan] { try await world.register(PushWorld.fcm(), of: person) }
            try await world.pushing {
                try await world.pushing {
                    for index in 0..<20 {
                        let room = UUID()
                        try await world.log.startGroup(room, world.ada, world.grace, world.alan)
                        try await world.log.send("planted-\(index)", to: room, by: world.ada)
                    }
                    try await eventually("all are told") { try await world.outcomes().count >= 40 }
                    #expect(provider.sent.count == 40)
                    #expect(Set(provider.sent.map(\.notification.id)).count == 40)
                }
            }
        }
    }
}

extension PushWorld {
    /// Says something, and kills the process that sends it while it waits for the answer.
    ///
    /// - Returns: the claim that it left behind.
    func killed(_ provider: ScriptedProvider) async throws -> UUID? {
        try await pushing([provider]) {
            try await say("planted-killed")
            try await eventually("it is being sent") { !provider.sent.isEmpty }
            // As the row is while the process dies: what it would still write is not there.
            try await TestDatabase.current.administrator.execute(
                "UPDATE parley.push_notifications SET claim = gen_random_uuid()"
            )
        }
        return try await pool.query("SELECT claim FROM parley.push_notifications").first?.decode("claim")
    }
}
