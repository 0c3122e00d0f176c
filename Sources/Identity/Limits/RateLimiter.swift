package import Crypto
package import Foundation
package import Postgres

/// Counts requests against the limits. One per process.
package final class RateLimiter: Sendable {
    private let limits: [RatePolicy: RateLimit]
    private let tables: [RatePolicy: RateTable]
    private let shared: SharedRates?
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Limits nothing.
    package static let off = RateLimiter()

    /// - Parameters:
    ///   - limits: what differs from the policies' defaults.
    ///   - masterKey: 256 bits, the same for all processes on one database.
    package init(
        _ limits: [RatePolicy: RateLimit] = [:],
        pool: PostgresPool,
        masterKey: SymmetricKey,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        let standard = RatePolicy.allCases.map { ($0, $0.standard) }
        self.limits = Dictionary(uniqueKeysWithValues: standard).merging(limits) { $1 }
        let inMemory = RatePolicy.allCases.filter { !$0.isShared }.map { ($0, RateTable()) }
        tables = Dictionary(uniqueKeysWithValues: inMemory)
        shared = SharedRates(pool: pool, masterKey: masterKey)
        self.now = now
    }

    private init() {
        limits = [:]
        tables = [:]
        shared = nil
        now = { .now }
    }

    /// Takes one token of a bucket, if there is one; nil where nothing is limited.
    ///
    /// - Throws: database errors, for the policies that are shared: what cannot be counted is not let through.
    package func take(_ policy: RatePolicy, for subject: RateSubject) async throws -> RateStanding? {
        guard let limit = limits[policy] else { return nil }
        if let table = tables[policy] {
            let (debt, isRefused) = table.take(subject, limit: limit, at: now())
            return RateStanding(policy, limit, debt: debt, isRefused: isRefused)
        }
        return try await shared?.take(policy, limit, for: subject)
    }

    /// How long somebody must wait before the next request would pass, of what is counted in memory; nil where it passes.
    /// Takes nothing.
    package func wait(_ policy: RatePolicy, for subject: RateSubject) -> Duration? {
        guard let table = tables[policy], let limit = limits[policy] else { return nil }
        let wait = table.debt(of: subject, at: now()) + limit.interval - limit.window
        return wait > .zero ? wait : nil
    }

    /// Takes one token of what is counted in memory, if there is one.
    package func note(_ policy: RatePolicy, for subject: RateSubject) {
        guard let table = tables[policy], let limit = limits[policy] else { return }
        _ = table.take(subject, limit: limit, at: now())
    }

    /// How a person stands with all that is counted by person and in memory; takes nothing.
    package func standings(of person: UUID, isBot: Bool = false) -> [RateStanding] {
        let now = now()
        return RatePolicy.allCases.compactMap { policy in
            guard policy.scope == .person, policy.isOfBots == isBot, let table = tables[policy],
                let limit = limits[policy]
            else { return nil }
            let debt = table.debt(of: .person(person), at: now)
            return RateStanding(policy, limit, debt: debt, isRefused: false)
        }
    }

    /// How many buckets this process holds in memory.
    package var bucketsHeld: [(policy: RatePolicy, count: Int)] {
        tables.map { ($0.key, $0.value.count) }
    }

    /// Deletes what the database need not remember any more.
    package func sweep() async throws {
        while let deleted = try await shared?.deleteFull(), deleted > 0 {}
    }
}
