import Foundation
import Mail

/// The settings of accounts, passwords and tokens. All processes on one database use the same.
package struct IdentityConfiguration: Sendable {
    /// scrypt's cost: 2 to this power. Each step doubles the time and the memory of a login.
    package var passwordCost = 15
    /// How many passwords are hashed at once; each takes a core, and 32 MiB at the default cost.
    package var passwordThreads = 1
    /// How far hashing stands back from everything else, 0 to 19, where the system knows it of threads (Linux).
    package var passwordNiceness = 0
    /// How many passwords may wait to be hashed before more are refused.
    package var passwordQueueLimit = 32
    package var accessTokenLifetime: Duration = .seconds(15 * 60)
    /// How long a refresh token is good for; each refresh begins anew.
    package var refreshTokenLifetime: Duration = .seconds(30 * 24 * 60 * 60)
    /// How many devices an account may be signed in on; one more ends the session that was unseen the longest.
    package var sessionLimit = 100
    /// How long a token that sets a new password is good for.
    package var resetTokenLifetime: Duration = .seconds(30 * 60)
    /// How long a token that proves an address is good for.
    package var emailTokenLifetime: Duration = .seconds(24 * 60 * 60)
    package var mail = MailConfiguration()
    /// How many access tokens are remembered as verified.
    package var verifiedTokenLimit = 50_000
    /// The `iss` and `aud` of access tokens.
    package var issuer = "parley"
    package var displayName = DisplayNameRule()
    /// How often it is asked which sessions other processes have ended.
    package var pollInterval: Duration = .milliseconds(500)

    package init() {}
}

extension IdentityConfiguration {
    /// How long after its session was revoked an access token can be good, with what clocks may differ by.
    var revocationWindow: TimeInterval { accessTokenLifetime.seconds + 5 * 60 }

    /// - Throws: `IdentityStartError.badConfiguration`.
    func check() throws {
        try require((1...64).contains(passwordThreads), "the password threads are 1 to 64")
        try require((0...10_000).contains(passwordQueueLimit), "the password queue is 0 to 10,000")
        // Dead sessions are deleted after a day, and access tokens must be dead by then.
        try require((1...43_200).contains(accessTokenLifetime.seconds), "an access token lives 1 s to 12 h")
        try require(refreshTokenLifetime > accessTokenLifetime, "a refresh token outlives its access token")
        try require((1...1_000).contains(sessionLimit), "an account has 1 to 1,000 sessions")
        // Used tokens are forgotten two days after they have expired, and no mail may be tried for longer.
        for lifetime in [resetTokenLifetime, emailTokenLifetime] {
            try require((60...172_800).contains(lifetime.seconds), "a token in a mail lives 1 min to 48 h")
        }
        try require((1...1_000).contains(mail.ratePerSecond), "1 to 1,000 mails are sent in a second")
        try require((1...10_000_000).contains(verifiedTokenLimit), "the verified tokens are 1 to 10,000,000")
        try require(!issuer.isEmpty && issuer.utf8.count <= 200, "the issuer has 1 to 200 bytes")
        try require(1 <= displayName.minimum && displayName.minimum <= displayName.maximum, "a name has a length")
    }

    private func require(_ condition: Bool, _ rule: String) throws {
        guard condition else { throw IdentityStartError.badConfiguration(rule) }
    }
}

extension Duration {
    var seconds: TimeInterval { self / .seconds(1) }
}
