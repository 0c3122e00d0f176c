import Foundation
import Postgres
import TestSupport
import Testing

/// What one process has accepted or begun, and another goes on with.
@Suite(.serialized, .emptyDatabase, .timeLimit(.minutes(10)))
struct `A server that is gone` {
    private var environment: [String: String] {
        [
            "DATABASE_URL": TestDatabase.current.url, "PARLEY_LIMITS": "off",
            "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
    }

    private func schedule(
        _ text: String,
        in conversation: String,
        after seconds: Double,
        by person: Person
    ) async throws {
        let sendAt = Date().addingTimeInterval(seconds).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        )
        let body = #"{"conversationId":"\#(conversation)","sendAt":"\#(sendAt)","text":"\#(text)"}"#
        let answer = try await person.client.send("PUT", "/v1/scheduled/\(UUID())", body)
        try #require(answer.status == 201, "\(answer.body)")
    }

    /// Waits until a client sees what was said, and nothing is left to be sent.
    private func waitUntilSent(
        _ text: String,
        in conversation: String,
        at client: Client,
        before deadline: TestDeadline
    ) async throws {
        let path = "/v1/conversations/\(conversation)/messages"
        while try await !client.send("GET", path).body.contains(#""text":"\#(text)""#) {
            try await deadline.check("sent: \(text)")
        }
        while try await !client.send("GET", "/v1/scheduled").body.contains(#""items":[]"#) {
            try await deadline.check("nothing is scheduled")
        }
    }

    /// Waits until so many processes are seen by all of them.
    private func waitForSessions(_ count: Int) async throws {
        let deadline = try await TestDeadline.within(15)
        while true {
            let rows = try await TestDatabase.current.administrator.query(
                "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'parley-process'"
            )
            if rows.count == count { return }
            try await deadline.check("\(count) processes")
        }
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `leaves what it has accepted for later to another`(_ signal: Int32) async throws {
        let one = try await ParleyProcess.serve([], environment: environment)
        let (two, start) = try await ParleyProcess.timeServe(environment: environment)
        let ada = try await Person.register("ada@example.org", "Ada", on: one)
        let bob = try await Person.register("bob@example.org", "Bob", on: one)
        let conversation = try await ada.startDirect(with: bob)
        try await waitForSessions(2)
        try await schedule("Later", in: conversation, after: 2, by: ada)
        let deadline = try await TestDeadline.within(10, slack: 5 * start)
        one.child.signal(signal)
        _ = await one.child.wait()
        let client = Client(port: try two.port, token: ada.client.token)
        try await waitUntilSent("Later", in: conversation, at: client, before: deadline)
        #expect(await two.terminate().code == 0)
    }

    @Test func `leaves what it was sending to another, long before its claim is over`() async throws {
        let one = try await ParleyProcess.serve([], environment: environment)
        let ada = try await Person.register("ada@example.org", "Ada", on: one)
        let bob = try await Person.register("bob@example.org", "Bob", on: one)
        let conversation = try await ada.startDirect(with: bob)
        try await waitForSessions(1)
        try await schedule("Half sent", in: conversation, after: 3_600, by: ada)
        // As if it were at it just now, for an hour.
        let claimed = try await TestDatabase.current.administrator.execute(
            """
            UPDATE parley.scheduled_messages
            SET send_at = now(), due_at = now() + interval '1 hour', claimed_until = now() + interval '1 hour',
                claim = gen_random_uuid(), attempts = 1,
                claimed_by = (
                    SELECT l.objid::bigint::int FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
                    WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
                        AND a.application_name = 'parley-process')
            """
        )
        try #require(claimed == 1)
        let (two, start) = try await ParleyProcess.timeServe(environment: environment)
        try await waitForSessions(2)
        let deadline = try await TestDeadline.within(10, slack: 5 * start)
        await one.kill()
        let client = Client(port: try two.port, token: ada.client.token)
        try await waitUntilSent("Half sent", in: conversation, at: client, before: deadline)
        #expect(await two.terminate().code == 0)
    }
}
