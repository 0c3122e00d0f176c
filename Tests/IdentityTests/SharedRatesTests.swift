import Crypto
import Foundation
import Logging
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct SharedRatesTests {
    private static let limits: [RatePolicy: RateLimit] = [
        .loginAccount: RateLimit(5, per: .seconds(86_400)), .loginAddress: RateLimit(7, per: .seconds(86_400)),
    ]
    private let ada = RateSubject.account(claimed: "ada@example.org")

    /// One server's limiter on the test's database.
    private func limiter(_ masterKey: SymmetricKey = TestIdentity.masterKey) -> RateLimiter {
        RateLimiter(Self.limits, pool: TestDatabase.current.pool, masterKey: masterKey)
    }

    private func take(_ limiter: RateLimiter, _ policy: RatePolicy, _ subject: RateSubject) async throws -> RateStanding
    {
        try #require(try await limiter.take(policy, for: subject))
    }

    @Test func `of many attempts at once, over several servers, the quota passes`() async throws {
        let servers = [limiter(), limiter(), limiter()]
        let passed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<60 {
                group.addTask { try await take(servers[index % 3], .loginAccount, ada).wait == nil }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 5)
    }

    @Test func `a restart forgets nothing, and being refused costs nothing`() async throws {
        for left in [4, 3, 2, 1, 0] {
            #expect(try await take(limiter(), .loginAccount, ada).remaining == left)
        }
        for _ in 0..<5 {
            let wait = try #require(try await take(limiter(), .loginAccount, ada).wait)
            #expect(wait <= .seconds(86_400 / 5) && wait > .seconds(86_400 / 5 - 60))
        }
    }

    @Test func `tokens come back by the database's clock`() async throws {
        for _ in 0..<6 { _ = try await take(limiter(), .loginAccount, ada) }
        try await pass(seconds: 86_400 / 5 - 60)
        #expect(try await take(limiter(), .loginAccount, ada).wait != nil)
        try await pass(seconds: 60)
        #expect(try await take(limiter(), .loginAccount, ada).wait == nil)
        #expect(try await take(limiter(), .loginAccount, ada).wait != nil)
    }

    @Test func `a quota that divides its window badly passes whole`() async throws {
        let limiter = limiter()
        for _ in 0..<7 { #expect(try await take(limiter, .loginAddress, .network(ClientNetwork(ipv4: 1))).wait == nil) }
        #expect(try await take(limiter, .loginAddress, .network(ClientNetwork(ipv4: 1))).wait != nil)
    }

    @Test func `an email counts as one however it is written, and policies count apart`() async throws {
        let limiter = limiter()
        for email in ["ada@example.org", "ADA@example.org", " Ada@Example.ORG ", "ada@EXAMPLE.org", "aDa@example.org"] {
            #expect(try await take(limiter, .loginAccount, .account(claimed: email)).wait == nil)
        }
        #expect(try await take(limiter, .loginAccount, ada).wait != nil)
        #expect(try await take(limiter, .loginAccount, .account(claimed: "bob@example.org")).wait == nil)
        #expect(try await take(limiter, .loginAccount, .account(claimed: "no email")).wait == nil)
        #expect(try await take(limiter, .forgotAccount, ada).wait == nil)
    }

    @Test func `an IPv6 address and an IPv4 address of the same bits are two`() async throws {
        let limiter = limiter()
        for _ in 0..<7 { _ = try await take(limiter, .loginAddress, .network(ClientNetwork(ipv4: 1))) }
        #expect(try await take(limiter, .loginAddress, .network(ClientNetwork(ipv6Prefix: 1))).wait == nil)
    }

    @Test func `the table names nobody, not even to who knows whom to look for`() async throws {
        _ = try await take(limiter(), .loginAccount, ada)
        let other = limiter(SymmetricKey(data: [UInt8](repeating: 8, count: 32)))
        _ = try await take(other, .loginAccount, ada)
        let rows = try await TestDatabase.current.pool.query("SELECT bucket FROM parley.rate_buckets")
        let keys = try rows.map { try $0.decode("bucket", as: Bytes.self).bytes }
        #expect(Set(keys).count == 2)
        #expect(keys.allSatisfy { $0.count == 32 && !String(decoding: $0, as: UTF8.self).contains("ada") })
    }

    @Test func `what is full is swept, and nothing else`() async throws {
        let limiter = limiter()
        _ = try await take(limiter, .loginAccount, ada)
        try await pass(seconds: 86_400)
        for _ in 0..<5 { _ = try await take(limiter, .loginAccount, .account(claimed: "bob@example.org")) }
        try await limiter.sweep()
        let rows = try await TestDatabase.current.pool.query("SELECT count(*) AS held FROM parley.rate_buckets")
        #expect(try rows.first?.decode("held", as: Int.self) == 1)
        #expect(try await take(limiter, .loginAccount, .account(claimed: "bob@example.org")).wait != nil)
    }

    @Test func `what cannot be counted is not let through`() async throws {
        let configuration = PostgresConfiguration(url: "host=/nowhere dbname=none")
        let logger = SecretWatch.logger
        let gone = PostgresPool(configuration, maxConnections: 1, logger: logger)
        let limiter = RateLimiter(pool: gone, masterKey: TestIdentity.masterKey)
        await #expect(throws: PostgresConnectionError.self) { try await limiter.take(.loginAccount, for: ada) }
        #expect(try await limiter.take(.send, for: .person(UUID()))?.wait == nil)
        await gone.close()
    }

    @Test func `limits that are off count nothing`() async throws {
        for policy in RatePolicy.allCases { #expect(try await RateLimiter.off.take(policy, for: ada) == nil) }
        #expect(RateLimiter.off.standings(of: UUID()).isEmpty)
    }

    /// Lets time pass for all buckets.
    private func pass(seconds: Int) async throws {
        try await TestDatabase.current.administrator.withConnection { connection in
            _ = try await connection.execute(
                "UPDATE parley.rate_buckets SET full_at = full_at - make_interval(secs => \(Double(seconds)))"
            )
        }
    }
}
