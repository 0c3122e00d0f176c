import Crypto
import Foundation
import NIOHTTP1
import Outbound
import TestSupport
import Testing

@testable import Reactors

@Suite("Apple's push service")
struct APNsProviderTests {
    private static let device = String(repeating: "ab", count: 32)

    private static func address(app: String = "org.example.chat") -> PushAddress {
        .apns(token: device, app: app, isSandbox: false)
    }

    private static func provider(_ server: WebTestServer) throws -> APNsProvider {
        APNsProvider(
            key: APNsKey(key: P256.Signing.PrivateKey(), id: "ABC1234567", team: "TEAM123456"),
            apps: ["org.example.chat"],
            base: URL(string: "http://127.0.0.1:\(server.port)"),
            client: try ProviderSamples.client()
        )
    }

    private struct Payload: Decodable {
        var aps: [String: JSONValue]
        var kind: String
        var conversationId: String
        var messageId: String?
        var seq: Int64?
        var badge: Int
    }

    private func payload(_ request: WebTestServer.Request) throws -> Payload {
        try JSONDecoder().decode(Payload.self, from: Data(request.body))
    }

    @Test("An alert carries everything, under the device's token and the app's name")
    func alert() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 200)
        } _: { server in
            let notification = ProviderSamples.notification(expires: Date(timeIntervalSince1970: 2_000_000_000.5))
            let provider = try Self.provider(server)
            #expect(await provider.send(notification, to: Self.address()) == .accepted)
            let request = try #require(server.requests.first)
            #expect(request.method == "POST")
            #expect(request.target == "/3/device/\(Self.device)")
            #expect(request.header("apns-topic") == "org.example.chat")
            #expect(request.header("apns-push-type") == "alert")
            #expect(request.header("apns-priority") == "10")
            #expect(request.header("apns-expiration") == "2000000000")
            #expect(request.header("apns-id") == notification.id.uuidString.lowercased())
            #expect(request.header("apns-collapse-id") == ProviderSamples.conversation.uuidString.lowercased())
            let token = try #require(request.header("authorization")).dropFirst("bearer ".count)
            #expect(try ReadToken(token).header["kid"] == "ABC1234567")
            let payload = try payload(request)
            let thread = ProviderSamples.conversation.uuidString.lowercased()
            #expect(
                payload.aps == [
                    "alert": .object(["title": .text("Ada"), "body": .text("Shall we?")]), "badge": .number(7),
                    "sound": .text("default"), "thread-id": .text(thread), "mutable-content": .number(1),
                ]
            )
            #expect(payload.kind == "alert")
            #expect(payload.conversationId == thread)
            #expect(payload.messageId == notification.messageID?.uuidString.lowercased())
            #expect(payload.seq == 42)
        }
    }

    @Test("What shows nothing takes no alert's place", arguments: [PushNotification.Kind.clear, .badge])
    func silent(kind: PushNotification.Kind) async throws {
        try await WebTestServer.with { _ in
            .answer(status: 200)
        } _: { server in
            let provider = try Self.provider(server)
            #expect(await provider.send(ProviderSamples.notification(kind), to: Self.address()) == .accepted)
            let request = try #require(server.requests.first)
            #expect(request.header("apns-push-type") == (kind == .clear ? "background" : "alert"))
            #expect(request.header("apns-priority") == "5")
            #expect(request.header("apns-expiration") == "0")
            #expect(request.header("apns-collapse-id") == nil)
            let payload = try payload(request)
            #expect(payload.aps == (kind == .clear ? ["content-available": .number(1)] : ["badge": .number(7)]))
            #expect(payload.kind == kind.rawValue)
        }
    }

    @Test("Texts are made shorter until Apple takes them")
    func longTexts() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 200)
        } _: { server in
            let provider = try Self.provider(server)
            let long = String(repeating: "👨‍👩‍👧‍👦\u{1}", count: 500)
            let notification = ProviderSamples.notification(title: long, body: long)
            #expect(await provider.send(notification, to: Self.address()) == .accepted)
            let request = try #require(server.requests.first)
            #expect(request.body.count <= 4_096)
            guard case .object(let alert) = try payload(request).aps["alert"], case .text(let body) = alert["body"]
            else {
                Issue.record("there is no alert")
                return
            }
            #expect(body.hasPrefix("👨‍👩‍👧‍👦"))
            #expect(body.hasSuffix("…"))
        }
    }

    @Test("Other apps' devices and other kinds of addresses are not asked for")
    func foreign() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 200)
        } _: { server in
            let provider = try Self.provider(server)
            let notification = ProviderSamples.notification()
            #expect(await provider.send(notification, to: Self.address(app: "a.b")) == .unserved(reason: "unknownApp"))
            #expect(await provider.send(notification, to: .fcm(.token("x"))) == .rejected(reason: "wrongAddress"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("Credentials that Apple refuses are remembered until it believes them")
    func credentials() async throws {
        try await WebTestServer.with { request in
            request.target.hasSuffix("00")
                ? .answer(status: 403, body: Array(#"{"reason":"InvalidProviderToken"}"#.utf8)) : .answer(status: 200)
        } _: { server in
            let provider = try Self.provider(server)
            let bad = PushAddress.apns(
                token: String(repeating: "0", count: 64),
                app: "org.example.chat",
                isSandbox: true
            )
            let outcome = await provider.send(ProviderSamples.notification(), to: bad)
            #expect(outcome == .credentialsRefused(reason: "InvalidProviderToken"))
            #expect(provider.watch.trouble?.contains("InvalidProviderToken") == true)
            _ = await provider.send(ProviderSamples.notification(), to: Self.address())
            #expect(provider.watch.trouble == nil)
            // One token for both.
            #expect(Set(server.requests.compactMap { $0.header("authorization") }).count == 1)
        }
    }

    @Test("A young token that Apple calls expired is not replaced: then the clock is wrong")
    func expiredToken() async throws {
        try await WebTestServer.with { _ in
            .answer(status: 403, body: Array(#"{"reason":"ExpiredProviderToken"}"#.utf8))
        } _: { server in
            let outcome = await (try Self.provider(server)).send(ProviderSamples.notification(), to: Self.address())
            #expect(outcome == .credentialsRefused(reason: "ExpiredProviderToken"))
            #expect(server.requests.count == 1)
        }
    }

    private static let hostile: [String: WebTestServer.Answer] = [
        "long": .answer(status: 200, body: Array(repeating: 0x20, count: 1_000_000)),
        "gone, at length": .answer(status: 410, body: Array(repeating: 0x20, count: 100_000), isChunked: true),
        "hangs up": .hangUp,
        "elsewhere": .answer(status: 302, headers: [("location", "http://127.0.0.1:1/")]),
    ]

    @Test("Who answers at length, not at all, or leads elsewhere costs no address", arguments: hostile.keys.sorted())
    func hostileAnswers(_ name: String) async throws {
        let answer = try #require(Self.hostile[name])
        try await WebTestServer.with { _ in
            answer
        } _: { server in
            let outcome = await (try Self.provider(server)).send(ProviderSamples.notification(), to: Self.address())
            switch outcome {
            case .retry(after: nil, reason: _): #expect(name != "elsewhere")
            case .rejected: #expect(name == "elsewhere")
            default: Issue.record("\(outcome)")
            }
        }
    }

    @Test(
        "Its words have consequences",
        arguments: [
            (200, "", PushOutcome.accepted),
            (
                410, #"{"reason":"Unregistered","timestamp":1500000000123}"#,
                .addressGone(reason: "Unregistered", since: Date(timeIntervalSince1970: 1_500_000_000.123))
            ),
            (410, #"{"reason":"ExpiredToken"}"#, .addressGone(reason: "ExpiredToken", since: nil)),
            (400, #"{"reason":"BadDeviceToken"}"#, .addressRefused(reason: "BadDeviceToken")),
            (400, #"{"reason":"DeviceTokenNotForTopic"}"#, .addressRefused(reason: "DeviceTokenNotForTopic")),
            (400, #"{"reason":"TopicDisallowed"}"#, .credentialsRefused(reason: "TopicDisallowed")),
            (400, #"{"reason":"PayloadEmpty"}"#, .rejected(reason: "PayloadEmpty")),
            (403, #"{"reason":"ExpiredProviderToken"}"#, .credentialsRefused(reason: "ExpiredProviderToken")),
            (403, "", .credentialsRefused(reason: "other")),
            (413, #"{"reason":"PayloadTooLarge"}"#, .rejected(reason: "PayloadTooLarge")),
            (429, #"{"reason":"TooManyRequests"}"#, .backOffDevice(after: .seconds(60), reason: "TooManyRequests")),
            (
                429, #"{"reason":"TooManyProviderTokenUpdates"}"#,
                .retry(after: .seconds(1_200), reason: "TooManyProviderTokenUpdates")
            ),
            (500, #"{"reason":"InternalServerError"}"#, .retry(after: nil, reason: "InternalServerError")),
            (503, "<html>", .retry(after: nil, reason: "other")),
            (418, #"{"reason":"a sentence, and more"}"#, .rejected(reason: "other")),
        ]
    )
    func answers(status: Int, body: String, outcome: PushOutcome) {
        let response = OutboundResponse(status: status, body: Array(body.utf8))
        #expect(APNsAnswer(response).outcome(at: Date()) == outcome)
    }
}

/// Some JSON.
enum JSONValue: Decodable, Equatable {
    case text(String)
    case number(Int)
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}
