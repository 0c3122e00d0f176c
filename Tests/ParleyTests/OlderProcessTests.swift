import Foundation
import Postgres
import TestSupport
import Testing

/// Two processes on one database, of which one is of an older version: it reads a lower format of the log.
@Suite(.serialized, .emptyDatabase, .timeLimit(.minutes(10)))
struct `An older process beside a newer one` {
    private var environment: [String: String] {
        [
            "DATABASE_URL": TestDatabase.current.url, "PARLEY_LIMITS": "off",
            "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
    }

    private var olderEnvironment: [String: String] { environment.merging(["DEBUG_LOG_FORMAT": "1"]) { $1 } }

    /// Waits until processes are registered that read these formats.
    private func waitForFormats(_ formats: [Int]) async throws {
        let deadline = try await TestDeadline.within(10)
        while true {
            let rows = try await TestDatabase.current.administrator.query(
                "SELECT p.format FROM parley.processes p ORDER BY p.format"
            )
            let found = try rows.map { try $0.decode("format", as: Int.self) }
            if found == formats { return }
            try await deadline.check("formats \(formats): \(found)")
        }
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `shares what both can read, holds up the rest until it is gone, and does not come back`(
        _ signal: Int32
    ) async throws {
        let older = try await ParleyProcess.serve([], environment: olderEnvironment)
        let newer = try await ParleyProcess.serve([], environment: environment)
        try await waitForFormats([1, 2])
        let ada = try await Person.register("ada@example.org", "Ada", on: older)
        let bob = try await Person.register("bob@example.org", "Bob", on: newer)
        let conversation = try await ada.startDirect(with: bob)
        let atOlder = try Client(port: older.port, token: bob.client.token).stream()
        let atNewer = try bob.client.stream()
        for stream in [atOlder, atNewer] { #expect(await stream.waits(for: "event: ready")) }
        try await ada.say("From the older", in: conversation)
        try await bob.say("From the newer", in: conversation)
        for stream in [atOlder, atNewer] {
            for text in ["From the older", "From the newer"] { #expect(await stream.waits(for: text)) }
        }
        let cursor = try #require(try StreamText(atOlder.text).cursor)

        // That something is edited, the older one cannot read.
        let path = "/v1/conversations/\(conversation)/messages/\(UUID())"
        let sent = try await bob.client.send("PUT", path, #"{"text":"As it was"}"#)
        try #require(sent.status == 201, "\(sent.body)")
        func edit() async throws -> Client.Answer {
            try await bob.client.send("PATCH", path, #"{"text":"As it is now"}"#)
        }
        let refused = try await edit()
        #expect(refused.status == 503, "\(refused.body)")
        #expect(refused["Retry-After"] != nil)

        older.child.signal(signal)
        _ = await older.child.wait()
        var edited = try await edit()
        // One that was killed is taken for living a little longer.
        let deadline = try await TestDeadline.within(20)
        while signal == SIGKILL, edited.status == 503 {
            try await deadline.check("the killed process counts no more")
            edited = try await edit()
        }
        #expect(edited.status == 200, "\(edited.body)")
        #expect(await atNewer.waits(for: "As it is now"))

        let again = try await ParleyProcess.run(["serve", "--port", "0"], environment: olderEnvironment)
        #expect(again.code == 76)
        #expect(again.output.contains("the log is of format 2, and this program reads formats up to 1"))
        // Who was at the older one goes on at the newer one, and finds all in its place.
        let resumed = try bob.client.stream(since: cursor)
        #expect(await resumed.waits(for: "As it is now"))
        #expect(try !StreamText(resumed.text).events.contains { $0.name == "reset" })
        let parked = try await ParleyProcess.run(["parked", "list"], environment: environment)
        #expect(parked.code == 0 && parked.output.contains("nothing is parked"), "\(parked.output)")
        for command in [["verify"], ["rebuild", "--all", "--verify"]] {
            let ended = try await ParleyProcess.run(command, environment: environment)
            #expect(ended.code == 0, "\(command): \(ended.output)")
        }
        #expect(await newer.terminate().code == 0)
    }
}
