import Foundation
import Postgres
import TestSupport
import Testing

/// Hints only say where to look: whoever hears none looks by itself.
@Suite(.serialized, .emptyDatabase, .timeLimit(.minutes(10)))
struct `Servers that hear nothing of each other` {
    private var environment: [String: String] {
        [
            "DATABASE_URL": TestDatabase.current.url, "PARLEY_LIMITS": "off",
            "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
    }

    /// No process can tell the others anything, until it is allowed again.
    private func cutHints() async throws {
        try await TestDatabase.current.administrator.execute("REVOKE EXECUTE ON FUNCTION pg_notify FROM PUBLIC")
        try await TestDatabase.current.administrator.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'parley-hints'
            """
        )
    }

    /// Types until another server's stream is told.
    private func type(_ person: Person, in conversation: String, until stream: Output, has text: String) async throws {
        var isTyping = true
        while !stream.text.contains(text) {
            let path = "/v1/conversations/\(conversation)/typing"
            let answer = try await person.client.send("POST", path, #"{"typing":\#(isTyping)}"#)
            try #require(answer.status == 202, "\(answer.body)")
            isTyping.toggle()
        }
    }

    private func change(_ person: Person, _ profile: String) async throws {
        let answer = try await person.client.send("PATCH", "/v1/me", profile)
        try #require(answer.status == 200, "\(answer.body)")
    }

    @Test func `pass on, read, heed and end what the other did, and hear of it again later`() async throws {
        let here = try await ParleyProcess.serve([], environment: environment)
        let there = try await ParleyProcess.serve([], environment: environment)
        let ada = try await Person.register("ada@example.org", "Ada", on: here)
        let bob = try await Person.register("bob@example.org", "Bob", on: here)
        let eve = try await Person.register("eve@example.org", "Eve", on: here)
        let conversation = try await ada.startDirect(with: bob)
        let elsewhere = Client(port: try there.port, token: bob.client.token)
        let stream = try elsewhere.stream()
        #expect(await stream.waits(for: "event: ready"))
        try await type(ada, in: conversation, until: stream, has: "event: typing.updated")

        try await cutHints()
        for server in [here, there] { try await server.waits(for: "hints between processes stand still") }
        // To streams, by polls.
        let path = "/v1/conversations/\(conversation)/messages"
        let sent = try await ada.client.send("PUT", "\(path)/\(UUID())", #"{"text":"Without a hint"}"#)
        try #require(sent.status == 201, "\(sent.body)")
        #expect(await stream.waits(for: "Without a hint"))
        // What is read is as new as is asked for, on the other side, too.
        let answered = try await ada.client.send("PUT", "\(path)/\(UUID())", #"{"text":"As new as asked for"}"#)
        let position = try #require(answered["Parley-Position"])
        var history = try await elsewhere.send("GET", path, headers: ["Parley-Wait-For": position])
        while history.status == 503 {
            history = try await elsewhere.send("GET", path, headers: ["Parley-Wait-For": position])
        }
        #expect(history.status == 200 && history.body.contains("As new as asked for"), "\(history.body)")
        // A name is shown, and a setting counts.
        try await change(ada, #"{"displayName":"Augusta"}"#)
        #expect(await stream.waits(for: #""displayName":"Augusta""#))
        try await change(bob, #"{"settings":{"readReceipts":false}}"#)
        let receipt = #"{"receipts":[{"conversationId":"\#(conversation)","readSeq":2}]}"#
        let read = try await elsewhere.send("POST", "/v1/receipts", receipt)
        try #require(read.status == 200, "\(read.body)")
        let privateMarks = try await TestDatabase.current.administrator.query(
            "SELECT FROM parley.events WHERE payload::text LIKE '%publicReadSeq%'"
        )
        #expect(privateMarks.count == 1)
        // A session that has ended is refused.
        let eveElsewhere = Client(port: try there.port, token: eve.client.token)
        #expect(try await eveElsewhere.send("GET", "/v1/me").status == 200)
        #expect(try await eve.client.send("POST", "/v1/auth/logout").status == 204)
        while try await eveElsewhere.send("GET", "/v1/me").status != 401 { await Task.pause() }

        try await TestDatabase.current.administrator.execute("GRANT EXECUTE ON FUNCTION pg_notify TO PUBLIC")
        let again = try elsewhere.stream()
        #expect(await again.waits(for: "event: ready"))
        try await type(ada, in: conversation, until: again, has: "event: typing.updated")
        #expect(await there.terminate().code == 0)
        #expect(await here.terminate().code == 0)
    }
}
