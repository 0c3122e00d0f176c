import Foundation
import TestSupport
import Testing

/// What is never stored, between two servers.
@Suite(.serialized, .emptyDatabase, .timeLimit(.minutes(10)))
struct `Two servers on one database` {
    private var environment: [String: String] {
        [
            "DATABASE_URL": TestDatabase.current.url, "PARLEY_LIMITS": "off",
            "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
    }

    private func serve() async throws -> ParleyProcess {
        try await ParleyProcess.serve([], environment: environment)
    }

    /// Two people and their conversation.
    private func talk(on server: ParleyProcess) async throws -> (ada: Person, bob: Person, conversation: String) {
        let ada = try await Person.register("ada@example.org", "Ada", on: server)
        let bob = try await Person.register("bob@example.org", "Bob", on: server)
        return (ada, bob, try await ada.startDirect(with: bob))
    }

    @Test func `tell each other's streams who is typing, who is there, and of drafts`() async throws {
        let (here, there) = (try await serve(), try await serve())
        let (ada, bob, conversation) = try await talk(on: here)
        let elsewhere = Client(port: try there.port, token: bob.client.token)
        let stream = try elsewhere.stream()
        #expect(await stream.waits(for: "event: ready"))
        // By turns at the two, as through a proxy: what the one has told, the other takes back. Again, for a slow machine may
        // take longer than typing holds.
        let adaElsewhere = Client(port: try there.port, token: ada.client.token)
        while !stream.text.contains(#""typing":false"#) {
            for (client, isTyping) in [(ada.client, true), (adaElsewhere, false)] {
                let path = "/v1/conversations/\(conversation)/typing"
                let answer = try await client.send("POST", path, #"{"typing":\#(isTyping)}"#)
                try #require(answer.status == 202, "\(answer.body)")
            }
        }
        #expect(stream.text.contains(#""userId":"\#(ada.id.lowercased())""#))
        // On the first server, while the device that listens is at the second one.
        SecretWatch.add("Dear Ada")
        let draft = try await bob.client.send("PATCH", "/v1/conversations/\(conversation)/me", #"{"draft":"Dear Ada"}"#)
        try #require(draft.status == 200, "\(draft.body)")
        #expect(await stream.waits(for: #""draft":"Dear Ada""#))
        // Ada's only stream is at the first server, and so is what she says of it.
        let own = try ada.client.stream()
        #expect(await own.waits(for: "event: ready"))
        #expect(await stream.waits(for: #""status":"online""#))
        let away = try await ada.client.send("PUT", "/v1/me/presence", #"{"status":"away"}"#)
        try #require(away.status == 200, "\(away.body)")
        #expect(await stream.waits(for: #""status":"away""#))
        #expect(await there.terminate().code == 0)
        #expect(await here.terminate().code == 0)
    }

    @Test func `forget who was at one that was killed, once it has said nothing for a while`() async throws {
        let (here, there) = (try await serve(), try await serve())
        let (ada, bob, conversation) = try await talk(on: here)
        let elsewhere = Client(port: try there.port, token: bob.client.token)
        while try await !elsewhere.send("GET", "/v1/conversations").body.contains(conversation) { await Task.pause() }
        let stream = try elsewhere.stream()
        #expect(await stream.waits(for: "event: ready"))
        let own = try ada.client.stream()
        #expect(await own.waits(for: "event: ready"))
        #expect(await stream.waits(for: #""status":"online""#))
        // Bob's own name may come to him late, and he is offline there.
        let isOffline = #""userId":"\#(ada.id.lowercased())","presence":{"status":"offline""#
        #expect(!stream.text.contains(isOffline))
        await here.kill()
        // What it has said holds for 50 s, and people are waited for 30 s more.
        #expect(await stream.waits(for: isOffline))
        #expect(await there.terminate().code == 0)
    }
}
