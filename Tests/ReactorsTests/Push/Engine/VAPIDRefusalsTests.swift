import Foundation
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct VAPIDRefusalsTests {
    private static let refused = PushOutcome.addressRefused(reason: "status403")

    @Test func `one person's addresses say nothing of the key, at however many services`() {
        let (watch, person) = (VAPIDWatch(), UUID())
        for number in 0..<20 { watch.note(Self.refused, for: person, at: "\(number).example.org") }
        #expect(watch.trouble == nil)
        watch.note(Self.refused, for: UUID(), at: "one.example.org")
        #expect(watch.trouble == nil)
    }

    @Test func `few people's are enough where several services refuse the key, and one service needs more`() {
        let watch = VAPIDWatch()
        for _ in 1..<VAPIDRefusals.fewestPeopleOfOneService {
            watch.note(Self.refused, for: UUID(), at: "one.example.org")
        }
        #expect(watch.trouble == nil)
        watch.note(.addressRefused(reason: "status401"), for: UUID(), at: "one.example.org")
        #expect(watch.trouble == "refuses the server's credentials (status401)")

        let other = VAPIDWatch()
        for number in 1..<VAPIDRefusals.fewestPeople {
            other.note(Self.refused, for: UUID(), at: "\(number).example.org")
            #expect(other.trouble == nil)
        }
        other.note(Self.refused, for: UUID(), at: "last.example.org")
        #expect(other.trouble == "refuses the server's credentials (status403)")
    }

    @Test func `what others are believed in counts, and what does not concern the key counts for nothing`() {
        let watch = VAPIDWatch()
        let people = (0..<10).map { _ in UUID() }
        for person in people { watch.note(.accepted, for: person, at: "one.example.org") }
        for person in people.prefix(4) { watch.note(Self.refused, for: person, at: "\(person).example.org") }
        #expect(watch.trouble == nil)
        for outcome: PushOutcome in [
            .addressRefused(reason: "noPublicKey"), .addressGone(reason: "status410", since: nil),
            .retry(after: nil, reason: "status503"), .rejected(reason: "status413"),
            .backOffDevice(after: .seconds(60), reason: "status429"),
        ] {
            for _ in 0..<10 { watch.note(outcome, for: UUID(), at: "one.example.org") }
        }
        #expect(watch.trouble == nil)
        watch.note(Self.refused, for: people[4], at: "one.example.org")
        #expect(watch.trouble != nil)
        watch.note(.accepted, for: people[0], at: "one.example.org")
        #expect(watch.trouble == nil)
    }

    @Test func `a service that refuses the key to many people is noted`() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 403)
        } _: { server in
            try await PushWorld.with { world in
                let provider = try WebPushProviderTests.provider()
                try await world.pushing([provider]) {
                    for _ in 0..<VAPIDRefusals.fewestPeopleOfOneService {
                        #expect(provider.watch.trouble == nil)
                        let (person, talk) = (UUID(), UUID())
                        try await world.log.register(person)
                        let endpoint = "http://127.0.0.1:\(server.port)/\(person)"
                        try await world.register(WebPushProviderTests.address(endpoint), of: person)
                        try await world.log.startGroup(talk, world.ada, person)
                        try await world.log.send("planted-refused", to: talk, by: world.ada)
                    }
                    try await eventually("that is noted") { provider.watch.trouble != nil }
                    #expect(provider.watch.trouble == "refuses the server's credentials (status403)")
                }
            }
        }
    }
}
