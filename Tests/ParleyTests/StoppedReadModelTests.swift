import Foundation
import Postgres
import TestSupport
import Testing

/// What an operator sees of read models that do not go on, and does about it, beside a running server.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Read models that stand still` {
    private struct Scene {
        let server: ParleyProcess
        let directory: String
        let database: OwnDatabase
        let ada: Person
        let grace: Person
        let conversation: String

        func parley(_ arguments: String...) async throws -> ParleyProcess.Ended {
            try await ParleyProcess.run(arguments + ["--data-dir", directory])
        }

        /// Has the messages' table refuse some rows.
        func refuse(seq: Int) async throws {
            try await database.withConnection { connection in
                try await connection.script(
                    "ALTER TABLE read_live.messages ADD CONSTRAINT refusal CHECK (seq <> \(seq)) NOT VALID"
                )
            }
        }

        func accept() async throws {
            try await database.execute("ALTER TABLE read_live.messages DROP CONSTRAINT refusal")
        }

        func say(_ texts: String...) async throws {
            for text in texts { try await ada.say(text, in: conversation) }
        }

        /// Waits until so many events are left out.
        func waitUntilLeftOut(_ events: Int64) async throws {
            while try await database.count("SELECT FROM read_live.parked k WHERE k.events = \(events)") == 0 {
                await Task.pause()
            }
        }

        func waitUntilReady(as isMeant: (Client.Answer) -> Bool) async throws -> Client.Answer {
            while true {
                let answer = try await Client(port: server.port).send("GET", "/readyz")
                if isMeant(answer) { return answer }
                await Task.pause()
            }
        }
    }

    private func with(_ body: (Scene) async throws -> Void) async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--limits", "off"])
            let ada = try await Person.register("ada@example.org", "Ada", on: server)
            let grace = try await Person.register("grace@example.org", "Grace", on: server)
            try await body(
                Scene(
                    server: server,
                    directory: directory,
                    database: OwnDatabase(directory: directory),
                    ada: ada,
                    grace: grace,
                    conversation: try await ada.startDirect(with: grace)
                )
            )
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `what is parked is listed, and comes back once its cause is gone`() async throws {
        try await with { scene in
            let nothing = try await scene.parley("parked")
            #expect(nothing.code == 0 && nothing.output.contains("nothing is parked"))
            try await scene.refuse(seq: 2)
            try await scene.say("one", "two", "three")
            try await scene.waitUntilLeftOut(2)
            let ready = try await Client(port: scene.server.port).send("GET", "/readyz")
            #expect(ready.status == 200)
            try await Client(port: scene.server.port).waitForMetrics(/\nparley_projection_parked_streams 1\n/)
            let list = try await scene.parley("parked", "list")
            #expect(list.code == 0)
            let row = try #require(list.output.split(separator: "\n").first { $0.contains(scene.conversation) })
            #expect(row.hasPrefix("conversation-\(scene.conversation)"))
            #expect(row.contains("  messages  ") && row.hasSuffix("23514 refusal"))

            let inVain = try await scene.parley("parked", "retry")
            #expect(inVain.code == 1)
            #expect(inVain.output.contains("1 tried again, 1 of the same streams parked now"))
            #expect(inVain.output.contains("23514 refusal"))
            try await scene.accept()
            let retried = try await scene.parley("parked", "retry", scene.conversation)
            #expect(retried.code == 0, "\(retried.output)")
            #expect(retried.output.contains("1 tried again, 0 of the same streams parked now"))
            #expect(try await scene.parley("parked", "list").output.contains("nothing is parked"))
            let history = try await scene.grace.history(of: scene.conversation)
            for text in ["one", "two", "three"] { #expect(history.contains(#""text":"\#(text)""#)) }
            #expect(try await scene.parley("verify").code == 0)
        }
    }

    @Test func `what is skipped is left out, and the list says who did it and why`() async throws {
        try await with { scene in
            try await scene.refuse(seq: 2)
            try await scene.say("one", "two", "three")
            try await scene.waitUntilLeftOut(2)
            // Who skips says what, and why.
            #expect(try await scene.parley("parked", "skip", "--reason", "broken").code == 64)
            #expect(try await scene.parley("parked", "skip", scene.conversation, "--reason", " ").code == 64)
            #expect(try await scene.parley("parked", "skip", "nobody", "--reason", "broken").code == 64)
            let skipped = try await scene.parley(
                "parked",
                "skip",
                "conversation-\(scene.conversation)",
                "--reason",
                "cannot be shown"
            )
            #expect(skipped.code == 0, "\(skipped.output)")
            #expect(skipped.output.contains("1 skipped, 0 of the same streams parked now"))
            let list = try await scene.parley("parked", "list").output
            #expect(list.contains("nothing is parked"))
            #expect(list.contains("skipped by messages: "))
            #expect(list.contains(" of conversation-\(scene.conversation), by "))
            #expect(list.contains(": cannot be shown"))
            #expect(try await scene.parley("parked", "retry").output.contains("nothing of the kind is parked"))
            try await scene.say("four")
            while try await !scene.grace.history(of: scene.conversation).contains("four") { await Task.pause() }
            let history = try await scene.grace.history(of: scene.conversation)
            #expect(history.contains("three") && !history.contains("two"))
        }
    }

    @Test func `a server is ready with one partition that fails, and says which, until it goes on`() async throws {
        try await with { scene in
            try await scene.database.withConnection { connection in
                try await connection.script(
                    """
                    CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN RAISE EXCEPTION 'failed on purpose'; END $$;
                    CREATE TRIGGER fail BEFORE INSERT ON read_live.messages EXECUTE FUNCTION public.fail();
                    """
                )
            }
            try await scene.say("held up")
            let noted = try await scene.waitUntilReady { $0.body.contains("stands before position") }
            #expect(noted.status == 200)
            #expect(noted.value("status") == "ready")
            #expect(noted.body.contains("SQLSTATE P0001") && !noted.body.contains("on purpose"))
            let status = try await scene.parley("status").output
            #expect(status.contains("STOPPED") && status.contains("SQLSTATE P0001"))
            try await scene.database.execute("DROP TRIGGER fail ON read_live.messages")
            let after = try await scene.waitUntilReady { !$0.body.contains("stands before position") }
            #expect(after.status == 200)
            #expect(try await scene.grace.history(of: scene.conversation).contains("held up"))
            #expect(try await !scene.parley("status").output.contains("STOPPED"))
        }
    }

    @Test func `a server is not ready where an event waits for long, and says in which partition, until it is shown`()
        async throws
    {
        try await with { scene in
            let id = try #require(UUID(uuidString: scene.conversation))
            // What befalls all partitions is no single one's fault: the projector tries again and again.
            let partition: Int = try await scene.database.withConnection { connection in
                try await connection.script(
                    """
                    CREATE FUNCTION public.fill() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN RAISE EXCEPTION 'no room on purpose' USING ERRCODE = 'disk_full'; END $$;
                    CREATE TRIGGER fill BEFORE INSERT ON read_live.checkpoints EXECUTE FUNCTION public.fill();
                    """
                )
                let rows = try await connection.query(
                    "SELECT e.partition FROM parley.events e WHERE e.stream_id = \(id) LIMIT 1"
                )
                return try #require(rows.first).decode("partition")
            }
            try await scene.say("held up")
            #expect(try await Client(port: scene.server.port).send("GET", "/readyz").status == 200)
            // As though it had waited for an hour, past the triggers that keep the log as it is.
            try await scene.database.withConnection { connection in
                try await connection.script(
                    """
                    SET session_replication_role = replica;
                    UPDATE parley.events SET recorded_at = recorded_at - interval '1 hour'
                    WHERE partition = \(partition)
                        AND position > (SELECT c.position FROM read_live.checkpoints c WHERE c.partition = \(partition))
                    """
                )
            }
            let late = try await scene.waitUntilReady { $0.status != 200 }
            #expect(late.status == 503)
            #expect(late.body.contains("projectors: partition \(partition) is 36"), "\(late.body)")
            #expect(!late.body.contains("on purpose"))
            try await scene.database.execute("DROP TRIGGER fill ON read_live.checkpoints")
            #expect(try await scene.waitUntilReady { $0.status == 200 }.status == 200)
            #expect(try await scene.grace.history(of: scene.conversation).contains("held up"))
        }
    }

    @Test func `a server is not ready where it stands before an event of a newer version`() async throws {
        try await with { scene in
            #expect(try await Client(port: scene.server.port).send("GET", "/readyz").status == 200)
            let id = try #require(UUID(uuidString: scene.conversation))
            try await scene.database.execute(
                """
                INSERT INTO parley.events (
                    position, version, recorded_at, partition, ordinal, stream_id, command_id, actor, schema_version,
                    category, type, payload)
                SELECT (SELECT max(x.position) + 1 FROM parley.events x WHERE x.partition = e.partition), e.version + 1,
                    now(), e.partition, 0, e.stream_id, gen_random_uuid(), e.actor, 1, e.category, 'pollOpened', '{}'
                FROM parley.events e
                WHERE e.stream_id = \(id) AND e.category = 'conversation'
                ORDER BY e.version DESC LIMIT 1
                """
            )
            let answer = try await scene.waitUntilReady { $0.status != 200 }
            #expect(answer.status == 503)
            #expect(answer.body.contains("event type pollOpened, schema version 1, is of a newer program"))
            #expect(try await scene.parley("status").output.contains("is of a newer program"))
            // It goes on with what it understands.
            #expect(try await scene.grace.client.send("GET", "/v1/me").status == 200)
        }
    }
}
