import Foundation
import NIOHTTP1
import Outbound
import Synchronization
import TestSupport
import Testing

@testable import Reactors

@Suite("Firebase Cloud Messaging")
struct FCMProviderTests {
    static let token = #"{"access_token":"token-1","expires_in":3599,"token_type":"Bearer"}"#

    static func provider(_ server: WebTestServer) throws -> FCMProvider {
        let base = "http://127.0.0.1:\(server.port)"
        let account = try ServiceAccount(json: ProviderSamples.serviceAccount(tokenURL: base + "/token").json)
        return FCMProvider(
            account: account,
            base: URL(string: base),
            client: try ProviderSamples.client()
        )
    }

    private static func answer(_ status: Int, _ body: String) -> WebTestServer.Answer {
        .answer(status: status, headers: [("content-type", "application/json")], body: Array(body.utf8))
    }

    private struct Sent: Decodable {
        struct Message: Decodable {
            var token: String?
            var fid: String?
            var data: [String: String]
            var android: [String: String]
            var notification: [String: String]?
        }

        var message: Message
    }

    private func sent(_ server: WebTestServer) throws -> [Sent.Message] {
        try server.requests.filter { $0.target != "/token" }
            .map { try JSONDecoder().decode(Sent.self, from: Data($0.body)).message }
    }

    @Test("A message is data alone, so that the app draws it, for a token or an installation")
    func messages() async throws {
        try await WebTestServer.with {
            Self.answer(200, $0.target == "/token" ? Self.token : "{}")
        } _: { server in
            let provider = try Self.provider(server)
            let notification = ProviderSamples.notification()
            #expect(await provider.send(notification, to: .fcm(.token("some-token"))) == .accepted)
            #expect(await provider.send(ProviderSamples.notification(.clear), to: .fcm(.fid("some-fid"))) == .accepted)
            let messages = try sent(server)
            let (alert, clear) = (try #require(messages.first), try #require(messages.last))
            #expect(alert.token == "some-token")
            #expect(alert.fid == nil)
            #expect(alert.notification == nil)
            #expect(
                alert.data == [
                    "kind": "alert", "title": "Ada", "body": "Shall we?", "badge": "7", "seq": "42",
                    "conversationId": ProviderSamples.conversation.uuidString.lowercased(),
                    "messageId": notification.messageID?.uuidString.lowercased() ?? "",
                    "senderId": notification.senderID?.uuidString.lowercased() ?? "",
                ]
            )
            // No key to collapse by: Google keeps four of those for a device that is away, and the tag is the app's to set.
            #expect(Set(alert.android.keys) == ["priority", "ttl"])
            #expect(alert.android["priority"] == "HIGH")
            #expect(alert.android["ttl"]?.wholeMatch(of: /3[56][0-9]{2}s/) != nil)
            #expect(clear.fid == "some-fid")
            #expect(clear.data["title"] == nil)
            #expect(clear.android["priority"] == "NORMAL")
            let requests = server.requests.filter { $0.target != "/token" }
            #expect(requests.allSatisfy { $0.header("authorization") == "Bearer token-1" })
            #expect(requests.allSatisfy { $0.target == "/v1/projects/parley-test/messages:send" })
        }
    }

    @Test("However many are sent at once, one access token is bought for all")
    func singleFlight() async throws {
        try await WebTestServer.with {
            Self.answer(200, $0.target == "/token" ? Self.token : "{}")
        } _: { server in
            let provider = try Self.provider(server)
            await withTaskGroup(of: PushOutcome.self) { group in
                for place in 0..<30 {
                    group.addTask { await provider.send(ProviderSamples.notification(), to: .fcm(.token("t\(place)"))) }
                }
                for await outcome in group { #expect(outcome == .accepted) }
            }
            #expect(server.requests.count { $0.target == "/token" } == 1)
            let bought = try #require(server.requests.first { $0.target == "/token" })
            let form = String(decoding: bought.body, as: UTF8.self)
            #expect(form.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="))
        }
    }

    @Test("A token that Google believes no more is bought anew, once")
    func renewal() async throws {
        let bought = Mutex(0)
        try await WebTestServer.with { request in
            if request.target == "/token" {
                let number = bought.withLock { count in
                    count += 1
                    return count
                }
                return Self.answer(200, #"{"access_token":"token-\#(number)","expires_in":3599}"#)
            }
            return request.header("authorization") == "Bearer token-2"
                ? Self.answer(200, "{}") : Self.answer(401, #"{"error":{"code":401,"status":"UNAUTHENTICATED"}}"#)
        } _: { server in
            let provider = try Self.provider(server)
            #expect(await provider.send(ProviderSamples.notification(), to: .fcm(.token("t"))) == .accepted)
            #expect(bought.withLock { $0 } == 2)
        }
    }

    @Test("Where Google gives no token, nothing is wrong with the address")
    func refusedAccount() async throws {
        try await WebTestServer.with { _ in
            Self.answer(400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#)
        } _: { server in
            let provider = try Self.provider(server)
            let outcome = await provider.send(ProviderSamples.notification(), to: .fcm(.token("t")))
            #expect(outcome == .credentialsRefused(reason: "invalid_grant"))
            #expect(provider.watch.trouble?.contains("invalid_grant") == true)
        }
        try await WebTestServer.with { _ in
            Self.answer(503, "")
        } _: { server in
            let outcome = await (try Self.provider(server)).send(ProviderSamples.notification(), to: .fcm(.token("t")))
            #expect(outcome == .retry(after: nil, reason: "token503"))
        }
    }

    private static func problem(_ code: String, fields: [String] = []) -> String {
        let violations = fields.map { #"{"field":"\#($0)","description":"x"}"# }.joined(separator: ",")
        let bad = #",{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[\#(violations)]}"#
        return """
            {"error":{"code":400,"message":"m","status":"S","details":[{"@type":\
            "type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\(code)"}\(fields.isEmpty ? "" : bad)]}}
            """
    }

    @Test(
        "Its words have consequences",
        arguments: [
            (200, "{}", PushOutcome.accepted),
            (404, problem("UNREGISTERED"), .addressGone(reason: "UNREGISTERED", since: nil)),
            (404, "<html>", .credentialsRefused(reason: "other")),
            (400, problem("INVALID_ARGUMENT"), .addressRefused(reason: "INVALID_ARGUMENT")),
            (400, problem("INVALID_ARGUMENT", fields: ["message.token"]), .addressRefused(reason: "INVALID_ARGUMENT")),
            (400, problem("INVALID_ARGUMENT", fields: ["message.data[0]"]), .rejected(reason: "INVALID_ARGUMENT")),
            (400, "", .rejected(reason: "other")),
            (403, problem("SENDER_ID_MISMATCH"), .addressRefused(reason: "SENDER_ID_MISMATCH")),
            (403, #"{"error":{"status":"PERMISSION_DENIED"}}"#, .credentialsRefused(reason: "PERMISSION_DENIED")),
            (401, problem("THIRD_PARTY_AUTH_ERROR"), .unserved(reason: "THIRD_PARTY_AUTH_ERROR")),
            (429, problem("QUOTA_EXCEEDED"), .retry(after: .seconds(60), reason: "QUOTA_EXCEEDED")),
            (503, problem("UNAVAILABLE"), .retry(after: nil, reason: "UNAVAILABLE")),
            (500, problem("INTERNAL"), .retry(after: nil, reason: "INTERNAL")),
        ]
    )
    func answers(status: Int, body: String, outcome: PushOutcome) {
        let response = OutboundResponse(status: status, body: Array(body.utf8))
        #expect(FCMAnswer(response).outcome(at: Date()) == outcome)
    }

    @Test("It is left alone for as long as it asks")
    func retryAfter() {
        let response = OutboundResponse(status: 503, headers: ["retry-after": "120"])
        #expect(FCMAnswer(response).outcome(at: Date()) == .retry(after: .seconds(120), reason: "other"))
    }
}
