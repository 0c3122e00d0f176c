import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import Outbound

@Suite("Asking other servers")
struct OutboundClientTests {
    private static let logger = Logger(label: "test")
    private static let local = AllowedHosts(["127.0.0.0/8"]) ?? .none

    private static func url(
        _ server: WebTestServer,
        host: String = "127.0.0.1",
        scheme: String = "http",
        path: String = "/"
    ) throws -> URL {
        try #require(URL(string: "\(scheme)://\(host):\(server.port)\(path)"))
    }

    private static func client(
        _ rules: OutboundRules,
        trusting file: String? = nil,
        maximumConnections: Int = 8,
        resolver: AddressResolver = .system,
        now: @escaping @Sendable () -> NIODeadline = { .now() }
    ) throws -> OutboundClient {
        try OutboundClient(
            rules: rules,
            trustFile: file,
            maximumConnections: maximumConnections,
            resolver: resolver,
            now: now,
            logger: logger
        )
    }

    /// Each lookup is answered by the next of these, and then by the last.
    private static func resolver(_ answers: [String]...) -> AddressResolver {
        let left = Mutex(answers)
        return AddressResolver { _, _ in
            left.withLock { left in (left.count > 1 ? left.removeFirst() : left[0]).compactMap { IPAddress($0) } }
        }
    }

    @Test("What is asked arrives, and what is answered comes back")
    func asks() async throws {
        try await WebTestServer.with { request in
            .answer(status: 201, headers: [("x-told", "yes")], body: Array("was: ".utf8) + request.body)
        } _: { server in
            let client = try Self.client(.operators)
            let request = OutboundRequest(
                method: .POST,
                url: try Self.url(server, path: "/some?thing=1"),
                headers: [("x-asked", "please")],
                body: Array("hello".utf8)
            )
            let answer = try await client.send(request, within: .seconds(20), maximumAnswer: 100)
            #expect(answer.status == 201)
            #expect(answer.headers.first(name: "x-told") == "yes")
            #expect(answer.body == Array("was: hello".utf8))
            let arrived = try #require(server.requests.first)
            #expect(arrived.method == "POST")
            #expect(arrived.target == "/some?thing=1")
            #expect(arrived.header("x-asked") == "please")
            #expect(arrived.header("content-length") == "5")
        }
    }

    @Test("A redirect is an answer like others, and nothing is asked where it leads")
    func redirects() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 307, headers: [("location", "/elsewhere")])
        } _: { server in
            let client = try Self.client(.operators)
            let request = OutboundRequest(method: .POST, url: try Self.url(server), body: [1])
            #expect(try await client.send(request, within: .seconds(20), maximumAnswer: 100).status == 307)
            #expect(server.requests.count == 1)
        }
    }

    @Test("Of an answer that is too large nothing is told", arguments: [true, false])
    func largeAnswers(isChunked: Bool) async throws {
        try await WebTestServer.with { _ in
            .answer(status: 200, body: Array(repeating: 0, count: 200_000), isChunked: isChunked)
        } _: { server in
            let client = try Self.client(.operators)
            let request = OutboundRequest(method: .GET, url: try Self.url(server))
            await #expect(throws: OutboundError(.tooLarge)) {
                try await client.send(request, within: .seconds(20), maximumAnswer: 199_999)
            }
            #expect(try await client.send(request, within: .seconds(20), maximumAnswer: 200_000).body.count == 200_000)
        }
    }

    @Test("Who takes a connection and says nothing is waited for as long as was said", arguments: ["http", "https"])
    func silence(scheme: String) async throws {
        let silent = try SilentServer()
        let client = try Self.client(.operators)
        let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(silent.port)/"))
        await #expect(throws: OutboundError(.timedOut)) {
            try await client.send(
                OutboundRequest(method: .GET, url: url),
                within: .milliseconds(300),
                maximumAnswer: 10
            )
        }
    }

    @Test("An answer that never ends is waited for no longer")
    func endlessAnswer() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 200, body: [1], isWhole: false)
        } _: { server in
            let client = try Self.client(.operators)
            let request = OutboundRequest(method: .GET, url: try Self.url(server))
            await #expect(throws: OutboundError(.timedOut)) {
                try await client.send(request, within: .milliseconds(500), maximumAnswer: 10)
            }
        }
    }

    @Test("Who hangs up is told from who is not there")
    func hangsUp() async throws {
        try await WebTestServer.with { _ in
            .hangUp
        } _: { server in
            let client = try Self.client(.operators)
            let request = OutboundRequest(method: .GET, url: try Self.url(server))
            await #expect(throws: OutboundError(.connection)) {
                try await client.send(request, within: .seconds(20), maximumAnswer: 10)
            }
        }
    }

    // MARK: Whom people name

    @Test("The address that is asked is the one that was looked at")
    func pinned() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 200)
        } _: { server in
            // No other resolver knows the name.
            let client = try Self.client(
                .vetted(allowed: AllowedHosts(["hook.invalid"]) ?? .none),
                resolver: Self.resolver(["127.0.0.1"])
            )
            let request = OutboundRequest(method: .GET, url: try Self.url(server, host: "hook.invalid"))
            #expect(try await client.send(request, within: .seconds(20), maximumAnswer: 10).status == 200)
            #expect(server.requests.first?.header("host") == "hook.invalid:\(server.port)")
        }
    }

    @Test(
        "A name that leads inside is not asked, however it is written",
        arguments: ["127.0.0.1", "10.1.2.3", "::1", "::ffff:127.0.0.1", "64:ff9b::a00:1"]
    )
    func inside(address: String) async throws {
        let client = try Self.client(.vetted(), resolver: Self.resolver([address]))
        let url = try #require(URL(string: "https://hook.invalid/"))
        await #expect(throws: OutboundError(.refusedAddress)) {
            try await client.send(OutboundRequest(method: .GET, url: url), within: .seconds(20), maximumAnswer: 10)
        }
    }

    @Test(
        "An address inside is not asked, and neither is what the system takes for one",
        arguments: ["127.0.0.1", "[::1]", "127.1", "2130706433", "0x7f000001"]
    )
    func literals(host: String) async throws {
        let client = try Self.client(.vetted())
        let url = try #require(URL(string: "https://\(host)/"))
        await #expect(throws: OutboundError(.refusedAddress)) {
            try await client.send(OutboundRequest(method: .GET, url: url), within: .seconds(20), maximumAnswer: 10)
        }
    }

    @Test("A name server that changes its answer is asked again, and its answer looked at again")
    func rebinding() async throws {
        let certificate = try await TestCertificate.make(names: ["rebinding.invalid"])
        defer { certificate.remove() }
        try await WebTestServer.with(certificate) { _ in
            .answer(status: 200)
        } _: { server in
            let seconds = Mutex(0)
            let client = try Self.client(
                .vetted(allowed: Self.local),
                trusting: certificate.path,
                resolver: Self.resolver(["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"]),
                now: { .uptimeNanoseconds(1_000_000_000_000) + .seconds(Int64(seconds.withLock { $0 })) }
            )
            let url = try Self.url(server, host: "rebinding.invalid", scheme: "https")
            let request = OutboundRequest(method: .GET, url: url)
            for _ in 0..<2 {
                #expect(try await client.send(request, within: .seconds(20), maximumAnswer: 10).status == 200)
            }
            for _ in 0..<2 {
                seconds.withLock { $0 += 60 }
                await #expect(throws: OutboundError(.refusedAddress)) {
                    try await client.send(request, within: .seconds(20), maximumAnswer: 10)
                }
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test("Of several addresses those inside are left out, and the next is tried where nobody listens")
    func severalAddresses() async throws {
        let certificate = try await TestCertificate.make(names: ["several.invalid"])
        defer { certificate.remove() }
        try await WebTestServer.with(certificate) { _ in
            .answer(status: 204)
        } _: { server in
            let client = try Self.client(
                .vetted(allowed: Self.local),
                trusting: certificate.path,
                resolver: Self.resolver(["10.0.0.1", "127.0.0.9", "127.0.0.1"])
            )
            let url = try Self.url(server, host: "several.invalid", scheme: "https")
            let answer = try await client.send(
                OutboundRequest(method: .PUT, url: url, body: [1]),
                within: .seconds(20),
                maximumAnswer: 10
            )
            #expect(answer.status == 204)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A name without addresses")
    func unresolvable() async throws {
        let client = try Self.client(.vetted(), resolver: Self.resolver([]))
        let url = try #require(URL(string: "https://nobody.invalid/"))
        await #expect(throws: OutboundError(.unresolvable)) {
            try await client.send(OutboundRequest(method: .GET, url: url), within: .seconds(20), maximumAnswer: 10)
        }
    }

    // MARK: TLS

    @Test("A certificate counts for whoever trusts it, and for its names")
    func certificates() async throws {
        // Not of the address: a certificate of the address that is connected to would count for any name.
        let certificate = try await TestCertificate.make(names: ["own.invalid"], isOfThisMachine: false)
        defer { certificate.remove() }
        try await WebTestServer.with(certificate) { _ in
            .answer(status: 200)
        } _: { server in
            let trusting = try Self.client(
                .vetted(allowed: Self.local),
                trusting: certificate.path,
                resolver: Self.resolver(["127.0.0.1"])
            )
            let own = try Self.url(server, host: "own.invalid", scheme: "https")
            let answer = try await trusting.send(
                OutboundRequest(method: .GET, url: own),
                within: .seconds(20),
                maximumAnswer: 10
            )
            #expect(answer.status == 200)
            let other = try Self.url(server, host: "other.invalid", scheme: "https")
            await #expect(throws: OutboundError(.tls)) {
                try await trusting.send(
                    OutboundRequest(method: .GET, url: other),
                    within: .seconds(20),
                    maximumAnswer: 10
                )
            }
            let suspicious = try Self.client(.operators)
            let url = try Self.url(server, scheme: "https")
            await #expect(throws: OutboundError(.tls)) {
                try await suspicious.send(
                    OutboundRequest(method: .GET, url: url),
                    within: .seconds(20),
                    maximumAnswer: 10
                )
            }
        }
    }

    @Test("A file without certificates is no file to trust")
    func brokenTrustFile() {
        #expect(throws: OutboundTrustError.self) { _ = try Self.client(.operators, trusting: "/dev/null") }
        #expect(throws: OutboundTrustError.self) { _ = try Self.client(.operators, trusting: "/nowhere.pem") }
    }

    // MARK: Bounds and ends

    @Test("More than may be under way is refused, and what is under way ends with the client")
    func boundsAndEnds() async throws {
        try await WebTestServer.with { _ in
            .silence
        } _: { server in
            let client = try Self.client(.operators, maximumConnections: 1)
            let request = OutboundRequest(method: .GET, url: try Self.url(server))
            let running = Task { await client.run() }
            let waiting = Task { () async -> OutboundError? in
                do throws(OutboundError) {
                    _ = try await client.send(request, within: .seconds(60), maximumAnswer: 10)
                    return nil
                } catch {
                    return error
                }
            }
            for await _ in server.arrivals { break }
            await #expect(throws: OutboundError(.busy)) {
                try await client.send(request, within: .seconds(20), maximumAnswer: 10)
            }
            running.cancel()
            await running.value
            #expect(await waiting.value == OutboundError(.closed))
            await #expect(throws: OutboundError(.closed)) {
                try await client.send(request, within: .seconds(20), maximumAnswer: 10)
            }
        }
    }

    @Test("Who gives up is not kept")
    func cancellation() async throws {
        try await WebTestServer.with { _ in
            .silence
        } _: { server in
            let client = try Self.client(.operators)
            let request = OutboundRequest(method: .GET, url: try Self.url(server))
            let waiting = Task { try await client.send(request, within: .seconds(600), maximumAnswer: 10) }
            for await _ in server.arrivals { break }
            waiting.cancel()
            await #expect(throws: OutboundError.self) { try await waiting.value }
        }
    }
}
