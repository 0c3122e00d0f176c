import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Edge

/// Reads carry a tag, and give nothing to those who have it; larger ones are compressed.
@Suite(.database) struct ReadingAgainTests {
    /// Two people in a group, and some messages.
    private struct Scene {
        let ada: Person
        let bob: Person
        let group: Conversation
        let message: Message

        init(_ server: TestServer, messages: Int = 3) async throws {
            ada = try await server.register("Ada")
            bob = try await server.register("Bob")
            group = try await ada.startGroup(with: [bob, try await server.register("Eve")])
            var last: Message?
            for number in 1...messages {
                last = try await ada.say("Message number \(number), which says that of itself", in: group.id)
            }
            message = try #require(last)
            _ = try await ada.send(.get, "/v1/server", headers: [.parleyWaitFor: try await position()])
        }

        /// A position that has passed everything so far in the group.
        private func position() async throws -> String {
            let body: JSONValue = .object(["groupName": .string("Friends")])
            let answer = try await ada.send(.patch, "/v1/conversations/\(group.id)", body: body)
            return try #require(answer[ParleyHeader.position])
        }

        var reads: [String] {
            let path = "/v1/conversations/\(group.id)"
            return [
                "/v1/me", "/v1/server", "/v1/sessions", "/v1/users", "/v1/users?query=bob", "/v1/users/\(bob.id)",
                "/v1/conversations", "/v1/conversations?filter=unread", path, "\(path)/participants",
                "\(path)/messages", "\(path)/messages?limit=1", "\(path)/messages/\(message.id)",
                "\(path)/messages/\(message.id)/receipts",
            ]
        }
    }

    @Test func `every read has a tag, the same each time, and gives 304 to whoever has it`() async throws {
        try await TestServer.with { server in
            let scene = try await Scene(server)
            for path in scene.reads {
                let answer = try await scene.ada.send(.get, path)
                #expect(answer.status == .ok, "\(path)")
                let tag = try #require(answer["ETag"], "\(path)")
                #expect(answer["Cache-Control"] == "private, no-cache")
                #expect(answer.headers[values: .vary] == ["Authorization, Cookie, Accept-Encoding"])
                for _ in 0..<3 { #expect(try await scene.ada.send(.get, path)["ETag"] == tag, "\(path)") }
                for method in [HTTPRequest.Method.get, .head] {
                    for known in [tag, "*", "\"other\", \(tag)", String(tag.dropFirst(2))] {
                        let again = try await scene.ada.send(method, path, headers: [.ifNoneMatch: known])
                        #expect(again.status == .notModified, "\(path)")
                        #expect(again.body.isEmpty)
                        #expect(again["ETag"] == tag)
                        #expect(again["Content-Type"] == nil)
                        #expect(again["Cache-Control"] == "private, no-cache")
                        #expect(again.headers[values: .vary] == ["Authorization, Cookie, Accept-Encoding"])
                        #expect(again[ParleyHeader.requestID] != nil)
                    }
                }
                let other = try await scene.ada.send(.get, path, headers: [.ifNoneMatch: "W/\"other\""])
                #expect(other.status == .ok)
                #expect(other.body == answer.body)
            }
        }
    }

    @Test func `every GET of the API has one, but for those about a moment`() async throws {
        try await TestServer.with { server in
            let scene = try await Scene(server)
            let invite = try await scene.ada.send(.post, "/v1/conversations/\(scene.group.id)/invites")
                .decode(Invite.self)
            // An id of its own in each conversation.
            let direct = try await scene.ada.talk(to: scene.bob).id
            try await scene.ada.schedule("Later", in: direct, at: Date() + 3_600, id: scene.message.id)
            let names = [
                "{conversationId}": "\(scene.group.id)", "{userId}": "\(scene.bob.id)",
                "{messageId}": "\(scene.message.id)", "{code}": invite.code,
                "{attachmentId}": "\(try await scene.ada.upload(Array("A file".utf8)).id)",
            ]
            for route in buildRoutes(server.dependencies).routes where route.method == .get {
                let path = names.reduce(route.path) {
                    $0.replacingOccurrences(of: $1.key, with: $1.value)
                }
                // What leads browsers elsewhere shows nothing.
                guard path.hasPrefix("/v1/"), path != "/v1/rate-limits", !path.hasPrefix("/v1/auth/oidc/") else {
                    continue
                }
                let answer = try await scene.ada.send(.get, path)
                #expect(answer.status == .ok, "\(path)")
                #expect(answer["ETag"] != nil, "\(path)")
            }
        }
    }

    @Test func `what changes has another tag`() async throws {
        try await TestServer.with { server in
            let scene = try await Scene(server)
            let path = "/v1/conversations/\(scene.group.id)/messages"
            let tag = try #require(try await scene.bob.send(.get, path)["ETag"])
            let sent = try await scene.ada.send(
                .put,
                "\(path)/\(WireID())",
                body: .object(["text": .string("One more")])
            )
            var headers: HTTPFields = [.ifNoneMatch: tag]
            headers[.parleyWaitFor] = sent[ParleyHeader.position]
            let answer = try await scene.bob.send(.get, path, headers: headers)
            #expect(try answer.decode(HistoryPage.self, status: .ok).items.last?.text == "One more")
            #expect(answer["ETag"] != tag)
        }
    }

    @Test func `a tag opens nothing to whom the content is closed`() async throws {
        try await TestServer.with { server in
            let scene = try await Scene(server)
            let stranger = try await server.register("Mallory")
            let path = "/v1/conversations/\(scene.group.id)/messages"
            let tag = try #require(try await scene.ada.send(.get, path)["ETag"])
            for known in [tag, "*"] {
                let headers: HTTPFields = [.ifNoneMatch: known]
                try await stranger.send(.get, path, headers: headers).expect(.notFound)
                try await server.send(.get, path, headers: headers).expect(.unauthenticated)
                let nowhere = "/v1/conversations/\(WireID())/messages"
                try await scene.ada.send(.get, nowhere, headers: headers).expect(.notFound)
                try await scene.ada.send(.get, "\(path)?limit=0", headers: headers).expect(.validationFailed)
            }
        }
    }

    @Test func `larger reads are compressed for those who take it, under the same tag`() async throws {
        try await TestServer.with { server in
            let scene = try await Scene(server, messages: 30)
            let path = "/v1/conversations/\(scene.group.id)/messages"
            let plain = try await scene.ada.send(.get, path)
            #expect(plain["Content-Encoding"] == nil)
            for coding in ["gzip", "br, gzip;q=0.5", "*"] {
                let answer = try await scene.ada.send(.get, path, headers: [.acceptEncoding: coding])
                #expect(answer["Content-Encoding"] == "gzip")
                #expect(answer["Content-Length"] == String(answer.body.count))
                #expect(answer["ETag"] == plain["ETag"])
                #expect(answer.body.count * 3 < plain.body.count)
                #expect(try gunzip(ByteBuffer(bytes: answer.body)) == Array(plain.body))
                let head = try await scene.ada.send(.head, path, headers: [.acceptEncoding: coding])
                #expect(head["Content-Encoding"] == "gzip")
                #expect(head.body.isEmpty)
            }
            for coding in ["identity", "gzip;q=0", "br", String(repeating: "gzip,", count: 1_000)] {
                let answer = try await scene.ada.send(.get, path, headers: [.acceptEncoding: coding])
                #expect(answer["Content-Encoding"] == nil, "\(coding)")
                #expect(answer.body == plain.body)
            }
            let small = try await scene.ada.send(.get, "/v1/me", headers: [.acceptEncoding: "gzip"])
            #expect(small["Content-Encoding"] == nil)
        }
    }

    @Test func `what holds a token, or answers a command, is never compressed and has no tag`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let long = String(repeating: "la ", count: 3_000)
            let all: HTTPFields = [.acceptEncoding: "gzip", .ifNoneMatch: "*"]
            let body: JSONValue = .object(["email": .string(ada.email), "password": .string("correct horse")])
            let talk = try await ada.talk(to: try await server.register("Bob"))
            let answers = [
                try await server.send(.post, "/v1/auth/login", headers: all, body: body),
                try await ada.send(
                    .put,
                    "/v1/conversations/\(talk.id)/messages/\(WireID())",
                    headers: all,
                    body: .object(["text": .string(long)])
                ),
                try await ada.send(.get, "/v1/rate-limits", headers: all),
                try await ada.send(.get, "/v1/users?query=\(String(repeating: "q", count: 2_000))", headers: all),
                try await server.send(.get, "/openapi.yaml", headers: all),
            ]
            #expect(answers.map(\.status.code) == [200, 201, 200, 422, 200])
            for answer in answers {
                #expect(answer["Content-Encoding"] == nil)
                #expect(answer["ETag"] == nil)
                #expect(answer["Cache-Control"] == "no-store")
            }
            #expect(answers[1].body.count > 9_000)
        }
    }

    @Test func `a connection goes on after an answer without a body`() async throws {
        try await TestServer.with {
            $0.setup = .live
        } _: { server in
            let ada = try await server.register("Ada")
            let tag = try #require(try await ada.send(.get, "/v1/me")["ETag"])
            let request = { @Sendable (method: String, end: String) in
                "\(method) /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ada.session.accessToken)\r\n"
                    + "If-None-Match: \(tag)\r\nIf-None-Match: \"another\"\r\n\(end)\r\n"
            }
            let received = try await RawConnection.with(port: server.client.port) { connection in
                try await connection.say(
                    request("GET", "") + request("HEAD", "") + request("GET", "Connection: close\r\n")
                )
                return await connection.readAll()
            }
            let answers = received.components(separatedBy: "\r\n\r\n")
            #expect(answers.count == 4)
            #expect(answers.last == "")
            for answer in answers.dropLast() {
                #expect(answer.hasPrefix("HTTP/1.1 304 Not Modified\r\n"))
                #expect(answer.contains("\r\nETag: \(tag)\r\n"))
                #expect(!answer.lowercased().contains("content-length"))
                #expect(!answer.lowercased().contains("transfer-encoding"))
            }
        }
    }

    @Test func `a snapshot is compressed, and kept by nobody`() async throws {
        try await LiveServer.with { server in
            let people = try await server.people(3)
            let group = try await server.startGroup(people)
            for number in 0..<20 { try await server.say("Message number \(number)", people[0], in: group) }
            try await server.waitForReadModels()
            let headers: HTTPFields = [
                .authorization: "Bearer \(people[1].token)", .acceptEncoding: "gzip", .ifNoneMatch: "*",
            ]
            let answer = try await server.client.executeRequest(
                uri: "/v1/sync",
                method: .get,
                headers: headers,
                body: nil
            )
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentEncoding] == "gzip")
            #expect(answer.headers[.eTag] == nil)
            #expect(answer.headers[.cacheControl] == "no-store")
            let content = Data(try gunzip(answer.body))
            let snapshot = try WireJSON.decoder().decode(SyncSnapshot.self, from: content)
            #expect(snapshot.conversations.first?.timeline.items.count == 20)
        }
    }
}
