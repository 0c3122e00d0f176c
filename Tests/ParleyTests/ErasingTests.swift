import Foundation
import Postgres
import TestSupport
import Testing

/// What an operator does about accounts, beside a running server.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Erasing and closing accounts` {
    private let email = "planted-ada-7f3a@example.org"
    private let name = "Planted Name 7f3a"
    private let text = "a planted text 7f3a that nobody may find"

    @Test func `leaves nothing of an erased person on the disk, once it is scrubbed`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--limits", "off"])
            let ada = try await Person.register(email, name, on: server)
            let grace = try await Person.register("grace@example.org", "Grace", on: server)
            let conversation = try await ada.startDirect(with: grace)
            try await ada.say(text, in: conversation)
            while try await !grace.history(of: conversation).contains(text) { await Task.pause() }
            try await writeOut(directory)
            // The search would find it.
            for planted in [email, name, text] { #expect(try await !files(with: planted, in: directory).isEmpty) }

            let refused = try await ParleyProcess.run(["erase", email, "--data-dir", directory])
            #expect(refused.code == 64, "\(refused.output)")
            let erased = try await ParleyProcess.run(["erase", email, "--yes", "--data-dir", directory])
            #expect(erased.code == 0, "\(erased.output)")
            #expect(erased.output.contains("told        1 conversations"))
            #expect(!erased.output.contains(email))
            let history = try await grace.history(of: conversation)
            #expect(history.contains(#""text":null"#) && !history.contains(text))
            let scrubbed = try await ParleyProcess.run(["scrub", "--data-dir", directory])
            #expect(scrubbed.code == 0, "\(scrubbed.output)")
            for planted in [email, name, text] {
                let found = try await files(with: planted, in: directory)
                #expect(found.isEmpty, "\(planted): \(found)")
            }
            // Nothing else is lost, and all goes on.
            #expect(try await ParleyProcess.run(["verify", "--data-dir", directory]).code == 0)
            #expect(try await grace.client.send("GET", "/v1/me").body.contains("Grace"))
            #expect(try await ParleyProcess.run(["erase", ada.id, "--yes", "--data-dir", directory]).code == 0)
            #expect(try await ParleyProcess.run(["erase", email, "--yes", "--data-dir", directory]).code == 1)
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `leaves nothing of a message, edited and deleted for everyone, once it is scrubbed`() async throws {
        let (first, second) = ("the first words quartzfinch7f3a", "the second words quartzheron7f3a")
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--limits", "off"])
            let ada = try await Person.register("ada@example.org", "Ada", on: server)
            let grace = try await Person.register("grace@example.org", "Grace", on: server)
            let conversation = try await ada.startDirect(with: grace)
            let id = UUID()
            let path = "/v1/conversations/\(conversation)/messages/\(id)"
            #expect(try await ada.client.send("PUT", path, #"{"text":"\#(first)"}"#).status == 201)
            #expect(try await ada.client.send("PATCH", path, #"{"text":"\#(second)"}"#).status == 200)
            try await ada.say("this one stays", in: conversation)
            while try await !grace.history(of: conversation).contains("this one stays") { await Task.pause() }
            try await writeOut(directory)
            // The search would find it.
            for planted in [first, second] { #expect(try await !files(with: planted, in: directory).isEmpty) }

            #expect(try await ada.client.send("DELETE", "\(path)?for=everyone").status == 204)
            while try await sealedTexts(of: id, in: directory) > 0 { await Task.pause() }
            let scrubbed = try await ParleyProcess.run(["scrub", "--data-dir", directory])
            #expect(scrubbed.code == 0, "\(scrubbed.output)")
            for planted in [first, second, "quartzfinch7f3a", "quartzheron7f3a"] {
                let found = try await files(with: planted, in: directory)
                #expect(found.isEmpty, "\(planted): \(found)")
            }
            // Nothing else is lost, and all goes on.
            #expect(try await ParleyProcess.run(["verify", "--data-dir", directory]).code == 0)
            let history = try await grace.history(of: conversation)
            #expect(history.contains("this one stays") && history.contains(#""text":null"#))
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `closes an account until it is opened again`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--limits", "off"])
            let ada = try await Person.register(email, name, on: server)
            let grace = try await Person.register("grace@example.org", "Grace", on: server)
            let closed = try await ParleyProcess.run(["deactivate", email, "--data-dir", directory])
            #expect(closed.code == 0, "\(closed.output)")
            // Within a second, since another process did it.
            while try await ada.client.send("GET", "/v1/me").status == 200 { await Task.pause() }
            func login(_ password: String) async throws -> Client.Answer {
                let body = #"{"email":"\#(email)","password":"\#(password)"}"#
                return try await Client(port: server.port).send("POST", "/v1/auth/login", body)
            }
            let right = try await login("correct horse")
            #expect(right.status == 403 && right.body.contains("This account is deactivated."))
            let wrong = try await login("wrong horse")
            #expect(wrong.status == 401 && wrong.value("code") == "invalidCredentials")
            let refresh = #"{"refreshToken":"\#(ada.refreshToken)"}"#
            #expect(try await Client(port: server.port).send("POST", "/v1/auth/refresh", refresh).status == 401)
            while try await grace.client.send("GET", "/v1/users").body.contains(name) { await Task.pause() }
            #expect(try await !grace.client.send("GET", "/v1/users?query=\(email)").body.contains(name))
            #expect(try await grace.client.send("GET", "/v1/users/\(ada.id)").value("displayName") == name)

            #expect(try await ParleyProcess.run(["reactivate", ada.id, "--data-dir", directory]).code == 0)
            #expect(try await login("correct horse").status == 200)
            while try await !grace.client.send("GET", "/v1/users").body.contains(name) { await Task.pause() }
            let nobody = try await ParleyProcess.run(["deactivate", "nobody@example.org", "--data-dir", directory])
            #expect(nobody.code == 1)
            #expect(await server.terminate().code == 0)
        }
    }

    // MARK: Support

    /// How many events of the log have sealed still what a message says or has said.
    private func sealedTexts(of message: UUID, in directory: String) async throws -> Int {
        try await OwnDatabase(directory: directory).count(
            """
            SELECT 1 FROM parley.events e
            WHERE e.sealed <> '' AND (e.command_id = \(message) AND e.type = 'messageSent'
                OR e.subject = \(message) AND e.type = 'messageEdited')
            """
        )
    }

    /// Has PostgreSQL write what is in its memory, and the planner's samples.
    private func writeOut(_ directory: String) async throws {
        try await OwnDatabase(directory: directory).withConnection { connection in
            try await connection.script("ANALYZE")
            try await connection.script("CHECKPOINT")
        }
    }

    private func files(with text: String, in directory: String) async throws -> [String] {
        let (child, output) = try await search(for: text, in: directory)
        _ = await child.wait()
        await output.waitsForEnd()
        return output.text.split(separator: "\n").map(String.init)
    }

    /// The pipe's own end is closed when this returns, so that the output ends with the search.
    private func search(for text: String, in directory: String) async throws -> (ChildProcess, Output) {
        let (reading, writing) = try FileDescriptor.pipe()
        let command = ["/bin/grep", "-rlaiF", "--", text, directory]
        let child = try await ChildProcess.start(command, environment: [:], output: writing)
        return (child, Output(reading))
    }
}
