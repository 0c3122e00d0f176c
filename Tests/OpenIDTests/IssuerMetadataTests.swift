import TestSupport
import Testing

@testable import OpenID

struct `The metadata of an issuer` {
    private func count(_ stand: TestIssuer) -> Int {
        stand.requests.filter { $0 == TestIssuer.discoveryPath }.count
    }

    private func begin(_ relying: Relying) async throws(OpenIDError) {
        _ = try await relying.issuer.authorizationURL(.make(), returningTo: "https://chat.example.org/back")
    }

    @Test func `is asked for once a day`() async throws {
        try await TestIssuer.with { stand in
            let relying = try Relying(on: stand)
            for _ in 0..<2 { try await begin(relying) }
            relying.clock.advance(by: 86_399)
            try await begin(relying)
            #expect(count(stand) == 1)
            relying.clock.advance(by: 1)
            try await begin(relying)
            #expect(count(stand) == 2)
        }
    }

    @Test func `goes on to count for a day while the issuer is down, and no longer`() async throws {
        try await TestIssuer.with { stand in
            let relying = try Relying(on: stand)
            try await begin(relying)
            stand.set(.status(503), at: TestIssuer.discoveryPath)
            relying.clock.advance(by: 86_400)
            for _ in 0..<5 { try await begin(relying) }
            #expect(count(stand) == 2)
            relying.clock.advance(by: 86_399)
            try await begin(relying)
            #expect(count(stand) == 3)
            relying.clock.advance(by: 61)
            await #expect(throws: OpenIDError.unavailable) { try await begin(relying) }
            stand.set(.answer, at: TestIssuer.discoveryPath)
            relying.clock.advance(by: 61)
            try await begin(relying)
        }
    }
}
