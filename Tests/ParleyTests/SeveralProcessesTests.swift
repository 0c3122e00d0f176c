import Foundation
import Postgres
import TestSupport
import Testing

/// Several processes share one database and what there is to project.
@Suite(.serialized, .emptyDatabase, .timeLimit(.minutes(10)))
struct `Several processes on one database` {
    private var environment: [String: String] {
        [
            "DATABASE_URL": TestDatabase.current.url, "PARLEY_LIMITS": "off",
            "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
    }

    /// Waits until so many processes share the partitions evenly: where nothing else is asked for 15 s after one has come or
    /// stands still, with the slack of a ``TestDeadline``.
    private func waitUntilShared(by processes: Int, before deadline: TestDeadline? = nil) async throws {
        let standard = try await TestDeadline.within(15)
        let deadline = deadline ?? standard
        while true {
            let rows = try await TestDatabase.current.administrator.query(
                """
                SELECT count(l.objid)::int AS partitions FROM pg_stat_activity a
                JOIN pg_locks l ON l.pid = a.pid AND l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' AND l.granted
                WHERE a.datname = current_database() AND a.application_name = 'parley-leases'
                GROUP BY a.pid
                """
            )
            let shares = try rows.map { try $0.decode("partitions", as: Int.self) }
            if shares.count == processes, shares.reduce(0, +) == 16, shares.allSatisfy({ $0 >= 16 / processes }) {
                return
            }
            try await deadline.check("\(processes) processes share: \(shares)")
        }
    }

    /// Somebody's conversation with one other person.
    private struct Talk {
        let one: Person
        let other: Person
        let conversation: String

        static func start(among people: [Person]) async throws -> [Talk] {
            var talks: [Talk] = []
            for person in people.dropFirst() {
                let conversation = try await people[0].startDirect(with: person)
                talks.append(Talk(one: people[0], other: person, conversation: conversation))
            }
            return talks
        }
    }

    /// Says something in each, and reads it at once.
    private func say(_ text: String, in talks: [Talk], at client: (Person) throws -> Client) async throws {
        for talk in talks {
            let path = "/v1/conversations/\(talk.conversation)/messages/\(UUID())"
            let answer = try await client(talk.one).send("PUT", path, #"{"text":"\#(text)"}"#)
            try #require(answer.status == 201, "\(answer.body)")
            let history = try await read(talk.conversation, by: try client(talk.other), after: answer)
            #expect(history.body.contains(text))
        }
    }

    /// Waits for longer than a server does, while a share is without anybody.
    private func read(
        _ conversation: String,
        by client: Client,
        after answer: Client.Answer
    ) async throws
        -> Client.Answer
    {
        let position = try #require(answer["Parley-Position"])
        while true {
            let history = try await client.send(
                "GET",
                "/v1/conversations/\(conversation)/messages",
                headers: ["Parley-Wait-For": position]
            )
            if history.status == 200 { return history }
            try #require(history.status == 503, "\(history.body)")
        }
    }

    @Test func `share what there is to project, and take over from one that ends, is killed, or stands still`()
        async throws
    {
        let one = try await ParleyProcess.serve([], environment: environment)
        var people: [Person] = []
        for number in 0..<8 {
            people.append(try await Person.register("p\(number)@example.org", "Person \(number)", on: one))
        }
        let talks = try await Talk.start(among: people)
        try await waitUntilShared(by: 1)
        let (two, start) = try await ParleyProcess.timeServe(environment: environment)
        // What is promised is 5 s, on a machine that has nothing else to do.
        func promised() async throws -> TestDeadline { try await TestDeadline.within(5, slack: 5 * start) }
        try await waitUntilShared(by: 2)
        let port = try two.port
        func atTheSecond(_ person: Person) -> Client { Client(port: port, token: person.client.token) }
        try await say("Shared by two", in: talks) { $0.client }
        try await say("From the other side", in: talks, at: atTheSecond)

        let projector = try await ParleyProcess.start(["project", "--log-level", "trace"], environment: environment)
        try await projector.waits(for: "Projecting")
        try await waitUntilShared(by: 3)
        try await say("Shared by three", in: talks, at: atTheSecond)
        // Stands still for longer than it may, and comes back.
        projector.child.signal(SIGSTOP)
        try await waitUntilShared(by: 2)
        try await say("One stands still", in: talks) { $0.client }
        projector.child.signal(SIGCONT)
        try await waitUntilShared(by: 3)
        #expect(await projector.terminate().code == 0)
        try await waitUntilShared(by: 2, before: try await promised())

        let killed = try await promised()
        await one.kill()
        try await say("One was killed", in: talks, at: atTheSecond)
        try await waitUntilShared(by: 1, before: killed)
        let verified = try await ParleyProcess.run(["verify"], environment: environment)
        #expect(verified.code == 0, "\(verified.output)")
        #expect(await two.terminate().code == 0)
    }

    @Test func `serve without projecting, where another process does nothing else`() async throws {
        let server = try await ParleyProcess.serve(["--without-projectors"], environment: environment)
        let projector = try await ParleyProcess.start(["project", "--log-level", "trace"], environment: environment)
        try await projector.waits(for: "Projecting")
        let ada = try await Person.register("ada@example.org", "Ada", on: server)
        let bob = try await Person.register("bob@example.org", "Bob", on: server)
        try await waitUntilShared(by: 1)
        let talks = try await Talk.start(among: [ada, bob])
        try await say("Projected elsewhere", in: talks) { $0.client }
        let projected = await projector.terminate()
        #expect(projected.code == 0)
        let served = await server.terminate()
        #expect(served.code == 0)
        // What becomes of mails is said where people are served.
        #expect(served.output.contains("without PARLEY_SMTP_URL"))
        #expect(!projected.output.contains("without PARLEY_SMTP_URL"))
    }

    @Test func `refuse the files of whoever is erased at another of them, however far behind read models are`()
        async throws
    {
        try await withDirectory { directory in
            let files = environment.merging(["PARLEY_ATTACHMENTS_DIR": directory]) { $1 }
            let one = try await ParleyProcess.serve(["--without-projectors"], environment: files)
            let two = try await ParleyProcess.serve(["--without-projectors"], environment: files)
            let projecting = ["project", "--log-level", "trace"]
            let projector = try await ParleyProcess.start(projecting, environment: environment)
            try await projector.waits(for: "Projecting")
            let ada = try await Person.register("ada@example.org", "Ada", on: one)
            let bob = try await Person.register("bob@example.org", "Bob", on: one)
            let conversation = try await ada.startDirect(with: bob)
            let own = try await send("Ada's own", by: ada, to: bob, in: conversation)
            let kept = try await send("Bob's own", by: bob, to: ada, in: conversation)
            let atTheSecond = Client(port: try two.port, token: bob.client.token)
            let url = try #require(
                try await atTheSecond.send("GET", "/v1/attachments/\(own)").value("url"),
                "the file has no URL"
            )
            let nobody = Client(port: try two.port)
            #expect(try await nobody.send("GET", url).body == "Ada's own")
            let path = "/v1/attachments/\(own)/content"
            #expect(try await atTheSecond.send("GET", path).body == "Ada's own")

            // Nothing of the erasure comes to the read models, which is what it waits for before it goes on.
            projector.child.signal(SIGSTOP)
            let erased = try await ada.client.send("DELETE", "/v1/me", #"{"password":"correct horse"}"#)
            try #require(erased.status == 204, "\(erased.body)")
            #expect(try await nobody.send("GET", url).status == 404)
            for path in [path, "\(path)?size=thumbnail", "/v1/attachments/\(own)"] {
                #expect(try await atTheSecond.send("GET", path).status == 404)
            }
            #expect(try await atTheSecond.send("GET", "/v1/attachments/\(kept)/content").body == "Bob's own")
            projector.child.signal(SIGCONT)
            for process in [projector, one, two] { #expect(await process.terminate().code == 0) }
        }
    }

    /// Sends a file, and waits until somebody else sees it.
    ///
    /// - Returns: the file's id.
    private func send(
        _ text: String,
        by person: Person,
        to other: Person,
        in conversation: String
    ) async throws -> String {
        let (file, message) = (UUID().uuidString.lowercased(), UUID())
        let brought = try await person.client.send("PUT", "/v1/attachments/\(file)?kind=file&name=notes.txt", text)
        try #require(brought.status == 201, "\(brought.body)")
        let sent = try await person.client.send(
            "PUT",
            "/v1/conversations/\(conversation)/messages/\(message)",
            #"{"text":"","attachmentIds":["\#(file)"]}"#
        )
        try #require(sent.status == 201, "\(sent.body)")
        while try await !other.history(of: conversation).contains(file) { await Task.pause() }
        return file
    }
}
