import Foundation
import NIOHTTP1
import Outbound
import TestSupport
import Testing

@testable import Reactors

@Suite("Web Push")
struct WebPushProviderTests {
    static func provider(allowing hosts: [String] = ["127.0.0.0/8"]) throws -> WebPushProvider {
        let allowed = try #require(AllowedHosts(hosts))
        return WebPushProvider(
            key: VAPIDKey(),
            subject: "mailto:ops@example.org",
            client: try ProviderSamples.client(.vetted(allowed: allowed))
        )
    }

    static func address(_ url: String, _ browser: TestBrowser = TestBrowser()) throws -> PushAddress {
        .webPush(endpoint: try #require(URL(string: url)), p256dh: browser.publicKey, auth: browser.auth)
    }

    private struct Content: Decodable {
        var kind: String
        var title: String
        var body: String
        var conversationId: String
        var seq: Int64
        var badge: Int
    }

    @Test("The browser reads what the push service cannot")
    func sends() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 201)
        } _: { server in
            let browser = TestBrowser()
            let address = try Self.address("http://127.0.0.1:\(server.port)/push/abc", browser)
            #expect(await (try Self.provider()).send(ProviderSamples.notification(), to: address) == .accepted)
            let request = try #require(server.requests.first)
            #expect(request.method == "POST")
            #expect(request.target == "/push/abc")
            #expect(request.header("content-encoding") == "aes128gcm")
            #expect(request.header("urgency") == "high")
            #expect(request.header("ttl").flatMap { Int($0) }.map { (3_500...3_600).contains($0) } == true)
            let topic = try #require(request.header("topic"))
            #expect(topic.wholeMatch(of: /[0-9a-f]{32}/) != nil)
            #expect(request.header("authorization")?.hasPrefix("vapid t=") == true)
            let content = try JSONDecoder().decode(Content.self, from: Data(browser.open(request.body)))
            #expect(content.title == "Ada")
            #expect(content.body == "Shall we?")
            #expect(content.conversationId == ProviderSamples.conversation.uuidString.lowercased())
            #expect(content.seq == 42)
            #expect(content.badge == 7)
        }
    }

    @Test("What is long is made shorter, and what shows nothing is not sent")
    func bounds() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 201)
        } _: { server in
            let provider = try Self.provider()
            let address = try Self.address("http://127.0.0.1:\(server.port)/")
            let long = String(repeating: "語", count: 3_000)
            #expect(
                await provider.send(ProviderSamples.notification(title: long, body: long), to: address) == .accepted
            )
            #expect(try #require(server.requests.first).body.count <= 3_070)
            for kind in [PushNotification.Kind.clear, .badge] {
                let outcome = await provider.send(ProviderSamples.notification(kind), to: address)
                #expect(outcome == .rejected(reason: "silent"))
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "A subscription that leads inside is refused, and nothing is asked",
        arguments: [
            "https://127.0.0.1/x", "https://[::1]/x", "https://169.254.169.254/x", "http://1.1.1.1/x",
            "https://localhost/x",
        ]
    )
    func inside(_ url: String) async throws {
        let outcome = await (try Self.provider(allowing: [])).send(
            ProviderSamples.notification(),
            to: try Self.address(url)
        )
        guard case .addressRefused = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test("Keys that are none are the address's fault")
    func brokenKeys() async throws {
        let url = try #require(URL(string: "https://push.example.org/"))
        let address = PushAddress.webPush(endpoint: url, p256dh: Array(repeating: 4, count: 65), auth: [])
        let outcome = await (try Self.provider()).send(ProviderSamples.notification(), to: address)
        #expect(outcome == .addressRefused(reason: "noPublicKey"))
    }

    @Test(
        "Its statuses have consequences",
        arguments: [
            (201, PushOutcome.accepted), (200, .accepted), (202, .accepted),
            (404, .addressGone(reason: "status404", since: nil)), (410, .addressGone(reason: "status410", since: nil)),
            (401, .addressRefused(reason: "status401")), (403, .addressRefused(reason: "status403")),
            (413, .rejected(reason: "status413")), (400, .rejected(reason: "status400")),
            (302, .rejected(reason: "status302")),
            (429, .backOffDevice(after: .seconds(60), reason: "status429")),
            (406, .backOffDevice(after: .seconds(60), reason: "status406")),
            (507, .backOffDevice(after: .seconds(60), reason: "status507")),
            (500, .retry(after: nil, reason: "status500")),
            (503, .retry(after: nil, reason: "status503")),
        ]
    )
    func statuses(status: Int, outcome: PushOutcome) {
        #expect(WebPushProvider.outcome(OutboundResponse(status: status), at: Date()) == outcome)
    }
}
