import Foundation
import Postgres
import TestSupport
import Testing

/// What an operator does by command and by the API, beside a running server.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Operators of a server` {
    @Test func `are made, listed and revoked by command, and let in by token`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--ops-port", "0"])
            try await server.waits(for: "Metrics and health are told")
            func parley(_ arguments: String...) async throws -> ParleyProcess.Ended {
                try await ParleyProcess.run(["operator"] + arguments + ["--data-dir", directory])
            }
            #expect(try await parley("list").output.contains("there is no operator"))
            let token = try await token(in: parley("create", "deploy", "--scope", "act"))
            #expect(try await parley("create", "deploy", "--scope", "read").code == 1)
            #expect(try await parley("create", "a:b", "--scope", "read").code == 1)
            #expect(try await parley("create", "x").code == 64)
            let list = try await parley("list").output
            #expect(list.contains("deploy") && list.contains("act") && !list.contains("parley_op_"))

            let client = Client(port: try server.port(of: "Metrics and health are told"), token: token)
            let audit = try await client.send("GET", "/admin/v1/audit")
            #expect(audit.status == 200 && audit.value("operator") == "console:\(NSUserName())")
            #expect(try await Client(port: server.port, token: token).send("GET", "/admin/v1/audit").status == 404)
            #expect(try await parley("revoke", "deploy").code == 0)
            #expect(try await parley("revoke", "deploy").code == 1)
            #expect(try await client.send("GET", "/admin/v1/audit").status == 401)
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `make bots, whose streams end with their token`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory])
            func parley(_ arguments: String...) async throws -> ParleyProcess.Ended {
                try await ParleyProcess.run(["bot"] + arguments + ["--data-dir", directory])
            }
            let made = try await parley("create", "Support", "--scope", "read", "--token-name", "first")
            let bot = try line("bot ", of: made)
            let stream = try Client(port: server.port, token: token(in: made)).stream()
            _ = await stream.waits(for: "event: ready")
            let list = try await parley("list").output
            #expect(list.contains(bot) && list.contains("read") && list.contains("first"))
            #expect(try await parley("revoke", bot, UUID().uuidString).code == 1)
            #expect(try await parley("revoke", bot, line("token id", of: made)).code == 0)
            #expect(await stream.waits(for: #""reason":"revoked""#))
            await stream.waitsForEnd()
            #expect(try await parley("token", UUID().uuidString).code == 1)
            #expect(try await parley("token", "x").code == 64)
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `have a sample of a bot that answers each message once`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--limits", "off"])
            let made = try await ParleyProcess.run(["bot", "create", "Ping", "--data-dir", directory])
            let (bot, ada) = (
                try line("bot ", of: made), try await Person.register("ada@example.org", "Ada", on: server)
            )
            let script = directory + "/ping-bot"
            try Self.sample().write(toFile: script, atomically: true, encoding: .utf8)
            func start() async throws -> ChildProcess {
                try await ChildProcess.start(
                    ["/bin/bash", script],
                    environment: [
                        "PATH": "/usr/local/bin:/usr/bin:/bin", "PARLEY_URL": "http://127.0.0.1:\(try server.port)",
                        "PARLEY_BOT_TOKEN": try token(in: made), "CURSOR_FILE": directory + "/cursor",
                    ]
                )
            }
            let stream = try ada.client.stream()
            _ = await stream.waits(for: "event: ready")
            let answer = try await ada.client.send("PUT", "/v1/conversations/direct/\(bot)")
            let conversation = try #require(answer.value("id"))
            // Whole process groups are killed, below: curl is one of each.
            // A fresh stream begins at now: until it has, there is no cursor.
            let first = try await start()
            while !FileManager.default.fileExists(atPath: directory + "/cursor") { await Task.pause() }
            try await ada.say("!ping", in: conversation)
            try await ada.say("nothing", in: conversation)
            #expect(await stream.waits(for: #""text":"pong""#))
            kill(-first.pid, SIGKILL)
            _ = await first.wait()

            // What was said meanwhile is answered by the next one.
            try await ada.say("!ping", in: conversation)
            let second = try await start()
            while try await pongs(of: ada, in: conversation) < 2 { await Task.pause() }
            kill(-second.pid, SIGKILL)
            _ = await second.wait()
            #expect(try await pongs(of: ada, in: conversation) == 2)
            #expect(try await ada.history(of: conversation).contains(#""isBot":true"#))
            #expect(await server.terminate().code == 0)
        }
    }

    private func pongs(of person: Person, in conversation: String) async throws -> Int {
        try await person.history(of: conversation).components(separatedBy: #""text":"pong""#).count - 1
    }

    private func line(_ name: String, of ended: ParleyProcess.Ended) throws -> String {
        let line = ended.output.split(separator: "\n").first { $0.hasPrefix(name) }
        return String(try #require(line?.split(separator: " ").last, "\(ended.output)"))
    }

    /// A token is shown to who made it; no server's log may have it afterwards.
    private func token(in ended: ParleyProcess.Ended) throws -> String {
        let token = try line("token    ", of: ended)
        SecretWatch.add(token)
        return token
    }

    /// The script of the page about bots.
    private static func sample() throws -> String {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/parley/parley.docc/Bots.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let begin = try #require(text.range(of: "```bash\n#!/bin/bash\n"))
        let end = try #require(text.range(of: "\n```", range: begin.upperBound..<text.endIndex))
        return String(text[begin.lowerBound..<end.lowerBound].dropFirst("```bash\n".count)) + "\n"
    }
}
