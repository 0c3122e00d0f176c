import Foundation
import Messaging
import Postgres
import TestSupport
import Testing

@testable import Reactors

/// What people want to be told of, from what they have said to what a service gets.
@Suite(.database, .timeLimit(.minutes(10))) struct PushWishesTests {
    @Test func `nobody is told what somebody says whom they block`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            let device = try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.register(PushWorld.fcm("alan"), of: world.alan)
            try await world.block(world.ada, by: world.grace)
            try await world.projected()
            try await world.pushing {
                try await world.say("planted-blocked")
                try await eventually("Alan is told") { try await world.outcomes() == ["alert accepted"] }
                #expect(provider.sent.map(\.address) == [PushWorld.fcm("alan")])
                #expect(try await world.rows(of: device) == 0)
                try await world.say("planted-other", by: world.alan)
                try await eventually("Grace is told what others say") { provider.bodies.contains("planted-other") }
            }
        }
    }

    @Test func `who wants mentions only is told what mentions them, and nothing else`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            let device = try await world.register(PushWorld.fcm("grace"), of: world.grace)
            try await world.register(PushWorld.fcm("alan"), of: world.alan)
            try await world.choose(.mentions, by: world.grace)
            try await world.pushing {
                try await world.say("planted-all")
                try await eventually("Alan is told") { try await world.outcomes() == ["alert accepted"] }
                #expect(try await world.rows(of: device) == 0)
                try await world.say("planted-mention", mentioning: world.grace)
                try await eventually("Grace is told") {
                    provider.sent.contains { $0.address == PushWorld.fcm("grace") }
                }
                let notified = provider.sent.filter { $0.address == PushWorld.fcm("grace") }
                #expect(notified.map(\.notification.body) == ["planted-mention"])
            }
        }
    }

    @Test func `who wants nothing any more is not told what waits, nor what comes`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            let device = try await world.register(PushWorld.fcm("grace"), of: world.grace)
            try await world.register(PushWorld.fcm("alan"), of: world.alan)
            world.activity.note(world.grace)
            try await world.pushing {
                try await world.say("planted-waiting")
                try await eventually("Grace's waits, and Alan is told") {
                    let outcomes = try await world.outcomes()
                    return try await world.rows(of: device) == 1 && outcomes == ["alert accepted"]
                }
                try await world.choose(.none, by: world.grace)
                try await world.projected()
                try await world.age(by: "5 seconds")
                try await eventually("it is dropped") {
                    try await world.outcomes().contains("alert dropped level")
                }
                try await world.age(by: "10 seconds")
                try await world.say("planted-none")
                try await eventually("Alan is told") { provider.bodies.contains("planted-none") }
                #expect(try await world.rows(of: device) == 0)
                #expect(!provider.sent.contains { $0.address == PushWorld.fcm("grace") })
            }
        }
    }

    @Test func `the number counts all that a person has not read, without what is muted`() async throws {
        let provider = ScriptedProvider(.apns)
        try await PushWorld.with(provider) { world in
            try await world.register(PushWorld.apns(), of: world.grace)
            let (other, muted) = (UUID(), UUID())
            for room in [other, muted] {
                try await world.log.startGroup(room, world.ada, world.grace, world.alan)
                for index in 0..<2 { try await world.log.send("planted-before \(index)", to: room, by: world.ada) }
            }
            try await world.mute(muted, for: world.grace)
            try await world.projected()
            try await world.pushing {
                try await world.say("planted-counted")
                try await eventually("it is told") { provider.bodies.contains("planted-counted") }
                #expect(provider.alerts.first { $0.body == "planted-counted" }?.badge == 3)
            }
        }
    }

    @Test func `in quiet hours a device has its number changed, and a browser is told nothing`() async throws {
        let android = ScriptedProvider(.fcm)
        let browsers = ScriptedProvider(.webPush)
        try await PushWorld.with(android, browsers) { world in
            let endpoint = try #require(URL(string: "https://push.example.org/grace"))
            try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.register(.webPush(endpoint: endpoint, p256dh: [4], auth: [1]), of: world.grace)
            let minute = Int(Date().timeIntervalSince1970) / 60 % 1_440
            try await world.pool.execute(
                """
                INSERT INTO parley.quiet_hours (person_id, from_minute, to_minute, time_zone)
                VALUES (\(world.grace), \(Int16((minute + 1_380) % 1_440)), \(Int16((minute + 60) % 1_440)), 'UTC')
                """
            )
            try await world.pushing {
                try await world.say("planted-quiet")
                try await eventually("both are settled") { try await world.outcomes().count == 2 }
                #expect(Set(try await world.outcomes()) == ["badge accepted", "alert dropped quiet"])
                #expect(android.sent.map(\.notification.kind) == [.badge])
                #expect(android.sent.first?.notification.badge == 1)
                #expect(browsers.sent.isEmpty)
            }
        }
    }
}

extension PushWorld {
    /// How many conversations the outbox has for a device.
    fileprivate func rows(of device: UUID) async throws -> Int {
        try await pool.query("SELECT count(*) FROM parley.push_notifications WHERE device_id = \(device)").first?
            .decode(0) ?? 0
    }
}
