import Foundation
import Postgres
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct PushOutcomeTests {
    @Test func `a device whose app is gone is forgotten, unless it registered since`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            let gone = try await world.register(PushWorld.fcm("gone"), of: world.grace)
            let renewed = try await world.register(PushWorld.fcm("renewed"), of: world.grace)
            provider.answers { _, address in
                let since = address == PushWorld.fcm("renewed") ? Date().addingTimeInterval(-3_600) : nil
                return .addressGone(reason: "Unregistered", since: since)
            }
            try await world.pushing {
                try await world.say("planted-gone")
                try await eventually("the one is forgotten") {
                    try await world.devices.list(of: world.grace).count == 1
                }
                #expect(try await world.devices.list(of: world.grace).map(\.id) == [renewed])
                #expect(gone != renewed)
            }
        }
    }

    @Test func `addresses that are refused all together are kept, and the service is left alone`() async throws {
        let provider = ScriptedProvider(.apns) { _, _ in .addressRefused(reason: "BadDeviceToken") }
        try await PushWorld.with(provider) { world in
            for _ in 0..<20 { try await world.register(PushWorld.apns(), of: world.grace) }
            try await world.pushing {
                try await world.say("planted-refused")
                try await eventually("the service is left alone") {
                    try await PushQueueState.read(on: world.pool).pauses.map(\.origin) == ["apns"]
                }
                #expect(try await world.devices.list(of: world.grace).count == 20)
            }
        }
    }

    @Test func `one address that is refused twice is forgotten where others are taken`() async throws {
        let provider = ScriptedProvider(.apns)
        try await PushWorld.with(provider) { world in
            let bad = PushWorld.apns()
            let device = try await world.register(bad, of: world.grace)
            try await world.register(PushWorld.apns(), of: world.alan)
            provider.answers { _, address in address == bad ? .addressRefused(reason: "BadDeviceToken") : .accepted }
            try await world.pushing {
                try await world.say("planted-refused")
                try await eventually("it waits for its second try") {
                    let outcomes = try await world.outcomes()
                    return try await world.waiting() == 1 && outcomes.count == 1
                }
                #expect(try await world.devices.list(of: world.grace).map(\.id) == [device])
                try await TestDatabase.current.administrator.execute(
                    "UPDATE parley.devices SET refused_at = refused_at - interval '1 minute'"
                )
                try await world.age(by: "2 minutes")
                try await eventually("it is forgotten") { try await world.devices.list(of: world.grace).isEmpty }
            }
        }
    }

    @Test func `a browser that subscribed under another key stops nobody else's notifications`() async throws {
        try await WebTestServer.with { request in
            .answer(status: request.target == "/other-key" ? 403 : 201)
        } _: { server in
            try await PushWorld.with { world in
                let service = "http://127.0.0.1:\(server.port)"
                try await world.register(WebPushProviderTests.address(service + "/other-key"), of: world.grace)
                try await world.register(WebPushProviderTests.address(service + "/own-key"), of: world.alan)
                try await world.pushing([try WebPushProviderTests.provider()]) {
                    try await world.say("planted-other-key")
                    try await eventually("the one is refused") {
                        guard server.requests.contains(where: { $0.target == "/other-key" }) else { return false }
                        return try await world.isAtRest()
                    }
                    try #require(try await PushQueueState.read(on: world.pool).pauses.isEmpty)
                    let talk = UUID()
                    try await world.log.startGroup(talk, world.ada, world.alan)
                    try await world.log.send("planted-own-key", to: talk, by: world.ada)
                    try await eventually("the other one is told both") {
                        try await world.outcomes() == ["alert accepted", "alert accepted"]
                    }
                    #expect(try await world.devices.list(of: world.grace).count == 1)
                }
            }
        }
    }

    @Test func `refused credentials keep all addresses and burn no tries`() async throws {
        let provider = ScriptedProvider(.fcm) { _, _ in .credentialsRefused(reason: "PERMISSION_DENIED") }
        try await PushWorld.with(provider) { world in
            try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.pushing {
                try await world.say("planted-credentials")
                try await eventually("the service is left alone") {
                    try await PushQueueState.read(on: world.pool).pauses.map(\.reason) == ["PERMISSION_DENIED"]
                }
                let attempts: [Int] = try await world.pool.query("SELECT attempts FROM parley.push_notifications").map {
                    try $0.decode(0)
                }
                #expect(attempts == [0])
                #expect(try await world.devices.list(of: world.grace).count == 1)
            }
        }
    }

    @Test func `what is tried in vain five times is a dead letter, with the reason`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            let bad = PushWorld.fcm("bad")
            try await world.register(bad, of: world.grace)
            // The service takes others: it is not out.
            try await world.register(PushWorld.fcm(), of: world.alan)
            provider.answers { _, address in address == bad ? .retry(after: nil, reason: "500") : .accepted }
            try await world.pushing {
                try await world.say("planted-dead")
                for attempt in 1...4 {
                    try await eventually("it waits for its next try") {
                        try await !world.pool.query(
                            "SELECT FROM parley.push_notifications WHERE attempts = \(Int32(attempt)) AND claim IS NULL"
                        ).isEmpty
                    }
                    let room = UUID()
                    try await world.log.startGroup(room, world.ada, world.alan)
                    try await world.log.send("planted-other", to: room, by: world.ada)
                    try await world.age(by: "100 seconds")
                }
                try await eventually("it is given up") { try await world.outcomes().contains("alert dead 500") }
            }
        }
    }

    @Test func `what a service will never take is a dead letter at once`() async throws {
        let provider = ScriptedProvider(.fcm) { _, _ in .rejected(reason: "PayloadTooLarge") }
        try await PushWorld.with(provider) { world in
            try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.pushing {
                try await world.say("planted-rejected")
                try await eventually("it is given up") {
                    try await world.outcomes() == ["alert dead PayloadTooLarge"]
                }
                #expect(provider.sent.count == 1)
            }
        }
    }

    @Test func `an address of an app that nobody has a key for is no dead letter, and is kept`() async throws {
        let provider = ScriptedProvider(.apns) { _, _ in .unserved(reason: "unknownApp") }
        try await PushWorld.with(provider) { world in
            let device = try await world.register(PushWorld.apns(), of: world.grace)
            try await world.pushing {
                try await world.say("planted-unserved")
                try await eventually("it is dropped") { try await world.outcomes() == ["alert dropped noAddress"] }
                #expect(try await world.waiting() == 0)
                #expect(try await world.devices.list(of: world.grace).map(\.id) == [device])
            }
        }
    }

    @Test func `a service that asks for an hour is left alone for an hour, and asked nothing`() async throws {
        let provider = ScriptedProvider(.fcm) { _, _ in .retry(after: .seconds(3_600), reason: "429") }
        try await PushWorld.with(provider) { world in
            try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.register(PushWorld.fcm(), of: world.alan)
            try await world.pushing {
                try await world.say("planted-throttled")
                try await eventually("the service is left alone") {
                    try await !PushQueueState.read(on: world.pool).pauses.isEmpty
                }
                let before = provider.sent.count
                #expect(before <= 2)
                for index in 0..<5 { try await world.say("planted-more \(index)") }
                try await eventually("it all waits") {
                    try await world.pool.query("SELECT FROM parley.push_notifications WHERE pending = 6").count == 2
                }
                #expect(provider.sent.count == before)
            }
        }
    }

    @Test func `a device that gets too much is left alone, others are not`() async throws {
        let provider = ScriptedProvider(.apns)
        try await PushWorld.with(provider) { world in
            let busy = PushWorld.apns()
            try await world.register(busy, of: world.grace)
            try await world.register(PushWorld.apns(), of: world.alan)
            provider.answers { _, address in
                address == busy ? .backOffDevice(after: .seconds(600), reason: "TooManyRequests") : .accepted
            }
            try await world.pushing {
                try await world.say("planted-busy")
                try await eventually("Alan is told") { try await world.outcomes() == ["alert accepted"] }
                let room = UUID()
                try await world.log.startGroup(room, world.ada, world.grace)
                try await world.log.send("planted-again", to: room, by: world.ada)
                try await eventually("it waits, untried") { try await world.waiting() == 2 }
                #expect(provider.sent.count { $0.address == busy } == 1)
            }
        }
    }

    @Test func `the timeline of a message shows its notifications`() async throws {
        let provider = ScriptedProvider(.fcm)
        try await PushWorld.with(provider) { world in
            let device = try await world.register(PushWorld.fcm(), of: world.grace)
            try await world.pushing {
                let message = try await world.say("planted-timeline")
                try await eventually("it is told") { try await world.outcomes().count == 1 }
                let timeline = PushTimeline(pool: world.pool)
                let entries = try #require(try await timeline.entries(of: message))
                #expect(entries.map(\.device) == [device] && entries.map(\.person) == [world.grace])
                #expect(entries.first?.outcome == "accepted" && entries.first?.platform == "fcm")
                #expect(entries.first?.conversation == world.room && entries.first?.attempts == 1)

                // Within ten seconds of the first: it waits to be one summary.
                let next = try await world.say("planted-later")
                try await eventually("it waits") { try await world.newest() == 2 }
                let waiting = try #require(try await timeline.entries(of: next))
                #expect(waiting.map(\.outcome) == ["waiting"] && waiting.map(\.device) == [device])
                #expect(try await timeline.entries(of: message)?.map(\.outcome) == ["accepted"])
                #expect(try await timeline.entries(of: UUID()) == nil)
            }
        }
    }
}
