import Foundation
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Hints

@Suite(.database, .timeLimit(.minutes(10)))
struct `Hints between processes` {
    private func channel(_ process: UUID = UUID(), isAlone: Bool = false) -> HintChannel {
        HintChannel(
            process: process,
            database: PostgresConfiguration(
                url: TestDatabase.current.url,
                applicationName: "hints",
                role: "parley_server",
                connectTimeout: .seconds(60)
            ),
            isAlone: { isAlone },
            logger: SecretWatch.logger
        )
    }

    /// What a channel takes, and its gaps.
    private enum Taken: Equatable {
        case hints(Hints)
        case gap
    }

    private func follow(_ channel: HintChannel) -> AsyncStream<Taken>.Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: Taken.self)
        channel.onHints { hints, _ in continuation.yield(.hints(hints)) }
        channel.onGap { continuation.yield(.gap) }
        return stream.makeAsyncIterator()
    }

    @Test func `reach the others, and not who sent them`() async throws {
        let (here, there) = (channel(), channel())
        var (takenHere, takenThere) = (follow(here), follow(there))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await here.run() }
            group.addTask { try await there.run() }
            #expect(await takenHere.next() == .gap)
            #expect(await takenThere.next() == .gap)
            here.send(Hints(heads: [3: 17]))
            #expect(await takenThere.next() == .hints(Hints(heads: [3: 17])))
            there.send(Hints(haveSessionsEnded: true))
            // The first that it takes: its own never came.
            #expect(await takenHere.next() == .hints(Hints(haveSessionsEnded: true)))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `go together, the newest heads alone`() async throws {
        let (here, there) = (channel(), channel())
        var (takenHere, takenThere) = (follow(here), follow(there))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await here.run() }
            group.addTask { try await there.run() }
            _ = (await takenHere.next(), await takenThere.next())
            for position in 1...2_000 { here.send(Hints(heads: [position % 4: Int64(position)])) }
            var heads: [Int: Int64] = [:]
            var messages = 0
            while heads != [0: 2_000, 1: 1_997, 2: 1_998, 3: 1_999], case .hints(let hints)? = await takenThere.next() {
                heads.merge(hints.heads) { max($0, $1) }
                messages += 1
            }
            #expect(messages < 2_000)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `come again after the connection was lost, and say that there was a gap`() async throws {
        let (here, there) = (channel(), channel())
        var (takenHere, takenThere) = (follow(here), follow(there))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await here.run() }
            group.addTask { try await there.run() }
            _ = (await takenHere.next(), await takenThere.next())
            try await TestDatabase.current.administrator.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'parley-hints'
                """
            )
            #expect(await takenHere.next() == .gap)
            #expect(await takenThere.next() == .gap)
            here.send(Hints(heads: [0: 1]))
            #expect(await takenThere.next() == .hints(Hints(heads: [0: 1])))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `are not sent while nobody else is there`() async throws {
        let (alone, there) = (channel(isAlone: true), channel())
        var (takenAlone, takenThere) = (follow(alone), follow(there))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await alone.run() }
            group.addTask { try await there.run() }
            _ = (await takenAlone.next(), await takenThere.next())
            alone.send(Hints(heads: [0: 1]))
            // Beside the channel, and later: what came first would have been taken first.
            let payload = #"{"p":"\#(UUID())","h":{"0":2},"later":true}"#
            try await TestDatabase.current.pool.execute("SELECT pg_notify('parley_hints', \(payload))")
            #expect(await takenThere.next() == .hints(Hints(heads: [0: 2])))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `reach the others from a process that ends, over its pool`() async throws {
        let (ending, there) = (channel(isAlone: true), channel())
        var taken = follow(there)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await there.run() }
            _ = await taken.next()
            #expect(there.isConnected && !there.isAloneAndListening)
            #expect(!ending.isAloneAndListening)
            try await ending.send(Hints(heads: [3: 17], haveSessionsEnded: true), over: TestDatabase.current.pool)
            #expect(await taken.next() == .hints(Hints(heads: [3: 17], haveSessionsEnded: true)))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `are nothing where the payload is not read`() async throws {
        let there = channel()
        var taken = follow(there)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await there.run() }
            _ = await taken.next()
            for payload in ["", "{", "[]", #"{"p":7}"#, #"{"p":"\#(UUID())","h":[]}"#, #"{"p":"\#(UUID())","s":true}"#]
            {
                try await TestDatabase.current.pool.execute("SELECT pg_notify('parley_hints', \(payload))")
            }
            #expect(await taken.next() == .hints(Hints(haveSessionsEnded: true)))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `fit into what PostgreSQL passes on`() throws {
        let heads = Dictionary(uniqueKeysWithValues: (0..<1_000).map { (100_000 + $0, Int64.max) })
        let typing = (0..<500).map { Hints.Typing($0 % 2 == 0, by: UUID(), in: UUID()) }
        let views = Set((0..<500).map { _ in Hints.View(of: UUID(), in: UUID()) })
        let statuses = Dictionary(uniqueKeysWithValues: (0..<2_000).map { (UUID(), UInt8($0 % 4)) })
        let words = (0..<500).map { Hints.Word($0 % 2 == 0 ? nil : UInt8(1), UUID(), of: UUID()) }
        let watching = Dictionary(uniqueKeysWithValues: (0..<500).map { _ in (UUID(), UUID()) })
        let hints = Hints(
            heads: heads,
            haveSessionsEnded: true,
            typing: typing,
            views: views,
            statuses: statuses,
            words: words,
            watching: watching,
            asksForPresence: true
        )
        let messages = HintMessage.messages(hints, from: UUID())
        for message in messages { #expect(try JSONEncoder().encode(message).count < 8_000) }
        var all = Hints()
        for message in messages { all.merge(message.hints) }
        #expect(all == hints)
        // What may wait to be told is bounded.
        for _ in 0..<9 { all.merge(hints) }
        #expect(all.typing.count == 1_000)
    }
}
