import Foundation
import Metrics
import Synchronization
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct PushThrottlingTests {
    /// Each is longer than a service is left alone that says nothing of that; all of them are less than an hour.
    private static let steps = 50
    private static let step = 62

    private static func answer(_ isBusy: Bool, _ retryAfter: String?) -> WebTestServer.Answer {
        guard isBusy else { return .answer(status: 200, body: Array("{}".utf8)) }
        return .answer(
            status: 429,
            headers: retryAfter.map { [("retry-after", $0)] } ?? [],
            body: Array(#"{"error":{"status":"RESOURCE_EXHAUSTED"}}"#.utf8)
        )
    }

    private static func tries(_ server: WebTestServer) -> Int {
        server.requests.count { $0.target != "/token" }
    }

    @Test(arguments: [nil, "3600"] as [String?])
    func `a service that answers 429 for an hour is asked once a minute or never, holds up no other, and tells digests`(
        retryAfter: String?
    ) async throws {
        let metrics = NotedMetrics()
        try await withMetricsFactory(metrics) {
            let isBusy = Mutex(true)
            try await WebTestServer.with { request in
                request.target == "/token"
                    ? .answer(status: 200, body: Array(FCMProviderTests.token.utf8))
                    : Self.answer(isBusy.withLock { $0 }, retryAfter)
            } _: { server in
                let apple = ScriptedProvider(.apns)
                try await PushWorld.with(apple) { world in
                    for _ in 0..<2 { try await world.register(PushWorld.fcm(), of: world.grace) }
                    try await world.register(PushWorld.apns(), of: world.alan)
                    let clock = MovedClock()
                    try await world.pushing([try FCMProviderTests.provider(server), apple], clock: clock) {
                        try await Self.pass(anHourOf: world, server, apple, clock, isTriedEachMinute: retryAfter == nil)
                        let state = try await PushQueueState.read(on: world.pool)
                        #expect(state.waiting == 2 && state.pauses.map(\.reason) == ["RESOURCE_EXHAUSTED"])
                        #expect(metrics["parley_push_open_breakers fcm"] == 1)
                        #expect(metrics["parley_push_tries_total fcm retry"] == Double(Self.tries(server)))
                        #expect(metrics["parley_push_tries_total apns accepted"] == Double(Self.steps + 1))

                        isBusy.withLock { $0 = false }
                        // The first one tries, the other one follows it.
                        for count in 1...2 {
                            try await world.pass(600, clock)
                            try await eventually("as many are told") {
                                guard try await world.digests() >= count else { return false }
                                return try await world.isAtRest()
                            }
                        }
                        #expect(try await world.digests() == 2)
                        let last = String(decoding: try #require(server.requests.last).body, as: UTF8.self)
                        #expect(last.contains("New message") && !last.contains("planted"))
                        #expect(try await PushQueueState.read(on: world.pool).pauses.isEmpty)
                        #expect(metrics["parley_push_open_breakers fcm"] == 0)
                        #expect(server.requests.count { $0.target == "/token" } == 1)
                    }
                }
            }
        }
    }

    /// Most of an hour, in which somebody else is told something each minute.
    private static func pass(
        anHourOf world: PushWorld,
        _ server: WebTestServer,
        _ apple: ScriptedProvider,
        _ clock: MovedClock,
        isTriedEachMinute: Bool
    ) async throws {
        try await world.say("planted-throttled")
        try await eventually("the service is left alone") {
            guard apple.sent.count == 1 else { return false }
            guard try await PushQueueState.read(on: world.pool).pauses.map(\.origin) == ["fcm"] else { return false }
            return try await world.isAtRest()
        }
        // Both devices' were under way before the first answer came.
        let first = tries(server)
        #expect((1...2).contains(first))
        let talk = UUID()
        try await world.log.startGroup(talk, world.ada, world.alan)
        for number in 1...steps {
            try await world.pass(step, clock)
            try await world.log.send("planted-\(number)", to: talk, by: world.ada)
            let expected = first + (isTriedEachMinute ? number : 0)
            try await eventually("the other one is told, and this one asked") {
                guard apple.sent.count >= 1 + number, tries(server) >= expected else { return false }
                return try await world.isAtRest()
            }
            try #require(tries(server) == expected)
        }
    }
}

extension PushWorld {
    /// Time passes, for rows and for services. Nothing may be under way: its claim would end.
    fileprivate func pass(_ seconds: Int, _ clock: MovedClock) async throws {
        try await age(by: "\(seconds) seconds")
        clock.move(by: .seconds(seconds))
    }

    fileprivate func digests() async throws -> Int {
        try await outcomes().count { $0 == "digest accepted" }
    }
}
