import Crypto
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Reactors

@Suite(.database) struct SharedPushTokensTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000.75)

    private func key() -> APNsKey { APNsKey(key: P256.Signing.PrivateKey(), id: "ABC1234567", team: "TEAM123456") }

    /// What a process that has just started sends with.
    private func start(_ key: APNsKey, _ log: TestLog) -> APNsTokens {
        APNsTokens(key, sharing: SharedPushTokens(pool: log.store.pool, keyring: log.store.keyring))
    }

    @Test func `all processes use one token for 45 minutes, and so does one that starts anew`() async throws {
        try await TestLog.with { log in
            let key = key()
            let processes = (0..<8).map { _ in start(key, log) }
            let first = try await Self.ask(processes, at: now)
            #expect(first.count == 1)
            for minute in [1, 10, 30, 44] {
                let time = now + TimeInterval(minute * 60)
                #expect(try await Self.ask([start(key, log)] + processes, at: time) == first)
            }
            let second = try await Self.ask(processes, at: now + 46 * 60)
            #expect(second.count == 1 && second != first)
            let rows = try await log.store.pool.query("SELECT FROM parley.push_tokens")
            #expect(rows.count == 1)
        }
    }

    /// All at the same moment.
    private static func ask(_ processes: [APNsTokens], at time: Date) async throws -> Set<String> {
        try await withThrowingTaskGroup(of: String.self, returning: Set<String>.self) { group in
            for process in processes { group.addTask { try await process.token(at: time) } }
            var tokens: Set<String> = []
            for try await token in group { tokens.insert(token) }
            return tokens
        }
    }

    @Test func `a token that Apple calls expired is replaced once for all, and not where it is young`() async throws {
        try await TestLog.with { log in
            let key = key()
            let (one, other) = (start(key, log), start(key, log))
            let first = try await one.token(at: now)
            #expect(try await other.token(at: now) == first)
            #expect(try await other.replacement(for: first, at: now + 19 * 60) == nil)
            let second = try #require(try await one.replacement(for: first, at: now + 21 * 60))
            #expect(second != first)
            #expect(try await other.replacement(for: first, at: now + 21 * 60) == second)
            #expect(try await start(key, log).token(at: now + 21 * 60) == second)
        }
    }

    @Test func `another key has a token of its own, and none can be read in the database`() async throws {
        try await TestLog.with { log in
            let token = try await start(key(), log).token(at: now)
            // Under the same name, as when a wrong file is put right.
            #expect(try await start(key(), log).token(at: now) != token)
            let rows = try await log.store.pool.query("SELECT t.sealed FROM parley.push_tokens t")
            #expect(rows.count == 2)
            for row in rows {
                let sealed = Data(try row.decode("sealed", as: Bytes.self).bytes)
                #expect(sealed.range(of: Data(token.utf8.prefix(16))) == nil)
            }
        }
    }
}
