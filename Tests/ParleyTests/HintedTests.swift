import Foundation
import Postgres
import TestSupport
import Testing

/// What one server does counts at the other by hints: these servers hardly ever ask by themselves.
@Suite(.serialized, .emptyDatabase, .timeLimit(.minutes(10)))
struct `Two servers that hear of each other` {
    private var environment: [String: String] {
        [
            "DATABASE_URL": TestDatabase.current.url, "PARLEY_LIMITS": "off", "PARLEY_POLL_INTERVAL": "3600s",
            "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
    }

    /// Speaks until the other server's stream has it: from then on each knows that it is not alone, and hears the other.
    private func speak(_ person: Person, in conversation: String, until stream: Output, has text: String) async throws {
        let deadline = try await TestDeadline.within(30)
        while !stream.text.contains(text) {
            try await person.say(text, in: conversation)
            try await deadline.check("a first hint of heads")
        }
    }

    private func receive(_ seq: Int, of conversation: String, at client: Client) async throws {
        let receipt = #"{"receipts":[{"conversationId":"\#(conversation)","readSeq":\#(seq)}]}"#
        let answer = try await client.send("POST", "/v1/receipts", receipt)
        try #require(answer.status == 200, "\(answer.body)")
    }

    /// The marks that were given to others as less than they are.
    private func privateMarks() async throws -> Int {
        try await TestDatabase.current.administrator.query(
            "SELECT FROM parley.events WHERE payload::text LIKE '%publicReadSeq%'"
        ).count
    }

    @Test func `pass on messages, names, settings and ended sessions at once`() async throws {
        let here = try await ParleyProcess.serve([], environment: environment)
        let there = try await ParleyProcess.serve([], environment: environment)
        let ada = try await Person.register("ada@example.org", "Ada", on: here)
        let bob = try await Person.register("bob@example.org", "Bob", on: here)
        let eve = try await Person.register("eve@example.org", "Eve", on: here)
        let conversation = try await ada.startDirect(with: bob)
        func elsewhere(_ person: Person) throws -> Client { Client(port: try there.port, token: person.client.token) }
        let stream = try elsewhere(ada).stream()

        // Heads.
        try await speak(ada, in: conversation, until: stream, has: "Is anybody there?")
        #expect(await stream.waits(for: "event: ready"))
        try await ada.say("At once", in: conversation)
        #expect(await stream.waits(for: "At once"))

        try await receive(1, of: conversation, at: try elsewhere(bob))
        #expect(try await privateMarks() == 0)
        // A name, which comes by a hint, and a setting, which waits for none, in one event.
        let change = #"{"displayName":"Robert","settings":{"readReceipts":false}}"#
        let changed = try await bob.client.send("PATCH", "/v1/me", change)
        try #require(changed.status == 200, "\(changed.body)")
        try await receive(2, of: conversation, at: try elsewhere(bob))
        #expect(try await privateMarks() == 1)
        #expect(await stream.waits(for: #""displayName":"Robert""#))

        // A session that has ended. Nobody asks the second server anything meanwhile: with a request it would see for itself.
        let ending = try elsewhere(eve).stream()
        #expect(await ending.waits(for: "event: ready"))
        #expect(try await eve.client.send("POST", "/v1/auth/logout").status == 204)
        await ending.waitsForEnd()
        #expect(await there.terminate().code == 0)
        #expect(await here.terminate().code == 0)
    }
}
