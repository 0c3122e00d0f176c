import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import ParleyWire
import Postgres
import ReadModels
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Edge

@Suite(.database) struct OutageTests {
    private static func wait(for token: String) throws -> HTTPFields {
        [try #require(HTTPField.Name(ParleyHeader.waitFor)): token]
    }

    @Test func `without projectors commands are answered all the same`() async throws {
        try await TestServer.with {
            $0.isProjecting = false
        } _: { server in
            let (ada, bob, eve) = (
                try await server.register("Ada"), try await server.register("Bob"), try await server.register("Eve")
            )
            let path = "/v1/conversations/\(WireID())"
            let body: JSONValue = .object([
                "groupName": .string("Friends"),
                "participantIds": .array([.string("\(bob.id)"), .string("\(eve.id)")]),
                "joinPolicy": .string("open"),
            ])
            let answer = try await ada.send(.put, path, body: body)
            let group = try answer.decode(Conversation.self, status: .created)
            #expect(group.groupName == "Friends")
            #expect(group.joinPolicy == .open)
            #expect(group.participantIds == [ada.id, bob.id, eve.id].sorted())
            #expect(group.me.role == .owner)
            #expect(try await ada.say("Hi", in: group.id).seq == 1)
        }
    }

    @Test func `a position that is not shown in time is told, and warns no operator`() async throws {
        let logs = LogBook()
        try await TestServer.with {
            $0.logger = Logger(label: "test") { _ in LogBook.Handler(book: logs) }
            $0.isProjecting = false
        } _: { server in
            let ada = try await server.register("Ada")
            let patched = try await ada.send(.patch, "/v1/me", body: .object(["displayName": .string("Ada L")]))
            let position = try #require(patched[ParleyHeader.position])
            let answer = try await ada.send(.get, "/v1/conversations", headers: Self.wait(for: position))
            try answer.expect(.unavailable)
            #expect(answer["Retry-After"] != nil)
            #expect(!logs.lines.contains { $0.contains("Request failed") })
        }
    }

    @Test func `when too many commands wait, more are refused for the moment`() async throws {
        try await TestServer.with {
            $0.laneQueue = 0
        } _: { server in
            let body: JSONValue = .object([
                "email": .string("ada@example.org"), "password": .string("correct horse"),
            ])
            let answer = try await server.send(.post, "/v1/auth/register", body: body)
            try answer.expect(.overloaded)
            #expect(answer["Retry-After"] != nil)
            #expect(try answer.problem().retryable)
        }
    }

    @Test func `tokens that are none, or of another server, are refused`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let identity = server.eventStore.identity
            let tokens = [
                "x", "AAAA", String(repeating: "A", count: 5_000),
                Cursor(epoch: identity.epoch &+ 1, positions: [0: 1]).text,
                Cursor(epoch: identity.epoch, positions: [200: 1]).text,
            ]
            for token in tokens {
                try await ada.send(.get, "/v1/me", headers: Self.wait(for: token))
                    .expect(.validationFailed, parameter: ParleyHeader.waitFor)
            }
        }
    }

    @Test func `a database that is down is told, without its words`() async throws {
        let nowhere = PostgresConfiguration(url: "host=/nowhere dbname=secret", connectTimeout: .seconds(1))
        let logs = LogBook()
        let logger = Logger(label: "test") { _ in LogBook.Handler(book: logs) }
        let pool = PostgresPool(nowhere, checkoutTimeout: .milliseconds(200), logger: logger)
        try await TestServer.with { server in
            let ada = try await server.register()
            let broken = Queries(pool: pool, partitions: 4)
            let problem = await #expect(throws: (any Error).self) {
                _ = try await broken.user(ada.id.uuid)
            }
            let rendered = HTTPProblem(try #require(problem))
            #expect(rendered.code.status == 503)
            #expect(!rendered.detail.contains("secret"))
        }
        await pool.close()
    }

    private struct Unforeseen: Error {
        let secret: String
    }

    @Test func `what nobody foresaw is told and logged without its words`() async throws {
        let logs = LogBook()
        try await TestServer.with {
            $0.logger = Logger(label: "test") { _ in LogBook.Handler(book: logs) }
            $0.privateRoutes = { $0.get("trouble") { _, _ in throw Unforeseen(secret: "diary") } }
        } _: { server in
            let ada = try await server.register()
            let answer = try await ada.send(.get, "/v1/trouble")
            try answer.expect(.internal)
            let id = try #require(answer[ParleyHeader.requestID])
            let lines = logs.lines.filter { $0.contains(id) && $0.contains("Request failed") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains("Unforeseen") == true)
            #expect(!(logs.lines + [answer.text]).contains { $0.contains("diary") })
        }
    }

    @Test func `why the server is not ready is told and logged, a query string is not`() async throws {
        let logs = LogBook()
        try await TestServer.with {
            $0.logger = Logger(label: "test") { _ in LogBook.Handler(book: logs) }
            $0.readiness = Readiness([Readiness.Check("projectors") { "partition 3 stands still" }])
        } _: { server in
            let answer = try await server.send(.get, "/readyz?secret=diary")
            try answer.expect(.unavailable)
            #expect(answer.text.contains("projectors: partition 3 stands still"))
            let id = try #require(answer[ParleyHeader.requestID])
            let lines = logs.lines.filter { $0.contains("Request failed") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains(id) == true)
            #expect(!logs.lines.contains { $0.contains("diary") })
        }
    }
}

/// Keeps what is logged.
final class LogBook: Sendable {
    private let entries = Mutex<[String]>([])

    var lines: [String] { entries.withLock { $0 } }

    struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            book.entries.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
