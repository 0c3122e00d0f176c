import Foundation
import Identity
import Synchronization
import TestSupport

@testable import OpenID

/// A clock that stands still until it is moved.
final class TestClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}

/// A server's view of a test's issuer.
struct Relying {
    let issuer: OpenIDIssuer
    let clock: TestClock

    init(on stand: TestIssuer, patience: Duration = .seconds(60)) throws {
        let clock = TestClock()
        let provider = OpenIDProvider(
            id: "test",
            name: "Test",
            issuer: stand.url,
            clientIDs: [TestIssuer.clientID, "parley-ios"],
            clientSecret: Secret(TestIssuer.clientSecret),
            trustFile: stand.certificateFile
        )
        issuer = try OpenIDIssuer(provider, logger: SecretWatch.logger, patience: patience, now: { clock.now })
        self.clock = clock
    }

    /// What a token of the issuer says at this time.
    func claims(_ changes: [String: Any] = [:], without: [String] = []) -> [String: Any] {
        let now = Int(clock.now.timeIntervalSince1970)
        var claims: [String: Any] = [
            "iss": issuer.provider.issuer, "sub": "subject-1", "aud": TestIssuer.clientID, "iat": now,
            "exp": now + 3_600,
            "email": "ada@example.org", "email_verified": true, "name": "Ada",
        ]
        claims.merge(changes) { $1 }
        for name in without { claims[name] = nil }
        return claims
    }

    @discardableResult
    func identity(_ token: String, nonce: String? = nil) async throws(OpenIDError) -> IssuerIdentity {
        try await issuer.identity(provedBy: Secret(token), nonce: nonce)
    }
}
