package import Foundation
package import Postgres

/// Changes the key that signs access tokens, beside running servers.
package struct KeyRotation: Sendable {
    /// How often servers look for other keys.
    package static let pollInterval: Duration = .seconds(30)
    /// How long a key waits before it signs: all servers have loaded it by then, though some of them be slow or the
    /// clocks differ.
    package static let lead: Duration = .seconds(5 * 60)
    /// Longer than any access token lives, whatever the servers' settings.
    private static let overlap: Duration = .seconds(13 * 60 * 60)

    private let keys: SigningKeys

    package init(pool: PostgresPool, masterKeys: MasterKeys) {
        keys = SigningKeys(pool: pool, masterKeys: masterKeys)
    }

    /// Wraps the signing keys under the master key, whichever of the two they are under.
    ///
    /// - Returns: how many there are.
    /// - Throws: `IdentityStartError.wrongMasterKey`, database errors.
    package func rewrap() async throws -> Int {
        try await keys.rewrap()
    }

    /// Opens the signing keys, and leaves all as it is.
    ///
    /// - Throws: `IdentityStartError.wrongMasterKey`, database errors.
    package func check() async throws {
        _ = try await keys.load(at: Date())
    }

    /// What became of the keys.
    package struct Outcome: Sendable, Equatable {
        package let newKey: String
        package let signsFrom: Date
        /// Until when tokens of the keys before are good; nil if they are refused.
        package let othersVerifyUntil: Date?
    }

    /// Lets a new key sign after a while, and keeps the others until the last of their tokens has expired.
    ///
    /// - Returns: nil while a key waits for its time already.
    /// - Throws: `IdentityStartError.wrongMasterKey`, database errors.
    package func rotate(at now: Date = Date()) async throws -> Outcome? {
        _ = try await keys.load(at: now)
        let activation = now.addingTimeInterval(Self.lead.seconds)
        let end = activation.addingTimeInterval(Self.overlap.seconds)
        return try await keys.add(activatesAt: activation, othersVerifyUntil: end, at: now)
            .map { Outcome(newKey: $0, signsFrom: activation, othersVerifyUntil: end) }
    }

    /// Drops all keys for a new one: their tokens are refused as soon as a server looks.
    ///
    /// - Throws: `IdentityStartError.wrongMasterKey`, database errors.
    package func replace(at now: Date = Date()) async throws -> Outcome? {
        _ = try await keys.load(at: now)
        return try await keys.add(activatesAt: now, othersVerifyUntil: nil, at: now)
            .map { Outcome(newKey: $0, signsFrom: now, othersVerifyUntil: nil) }
    }
}
