import Foundation
import Postgres
import TestSupport
import Testing

/// What clients see of the executable when it ends, or its PostgreSQL does.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `The clients of a server that ends` {
    @Test func `find all that was acknowledged after everything was killed`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            let registered = try await Client(port: first.port).send("POST", "/v1/auth/register", Person.registration)
            #expect(registered.status == 201)
            let postmaster = try #require(EmbeddedPostgres.postmasterID(dataDirectory: directory))
            kill(postmaster, SIGKILL)
            await first.kill()

            let second = try await ParleyProcess.serve(dataDirectory: directory)
            let login = try await Client(port: second.port).send("POST", "/v1/auth/login", Person.registration)
            #expect(login.status == 200)
            let me = try await Client(port: second.port, token: login.value("accessToken")).send("GET", "/v1/me")
            #expect(me.body.contains(#""displayName":"Ada""#))
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `are sent what was scheduled before everything was killed`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            let ada = try await Person.register("ada@example.org", "Ada", on: first)
            let conversation = try await ada.startDirect(
                with: try await Person.register("bob@example.org", "Bob", on: first)
            )
            let sendAt = Date().addingTimeInterval(2).formatted(
                Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            )
            let body = #"{"conversationId":"\#(conversation)","sendAt":"\#(sendAt)","text":"Later"}"#
            let answer = try await ada.client.send("PUT", "/v1/scheduled/\(UUID())", body)
            #expect(answer.status == 201, "\(answer.body)")
            await first.kill()

            let second = try await ParleyProcess.serve(["--data-dir", directory, "--limits", "off"])
            let port = try second.port
            let login = #"{"email":"ada@example.org","password":"correct horse"}"#
            let session = try await Client(port: port).send("POST", "/v1/auth/login", login)
            let client = Client(port: port, token: session.value("accessToken"))
            let path = "/v1/conversations/\(conversation)/messages"
            while try await !client.send("GET", path).body.contains(#""text":"Later""#) { await Task.pause() }
            while try await !client.send("GET", "/v1/scheduled").body.contains(#""items":[]"#) { await Task.pause() }
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `are told to reconnect when the server ends, which ends at once`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let registered = try await Client(port: server.port).send("POST", "/v1/auth/register", Person.registration)
            let stream = try Client(port: server.port, token: registered.value("accessToken")).stream()
            #expect(await stream.waits(for: "event: ready"))
            #expect(await server.terminate().code == 0)
            await stream.waitsForEnd()
            #expect(stream.text.contains("event: goaway"))
            #expect(stream.text.contains("draining"))
        }
    }

    @Test func `are served while PostgreSQL comes back`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let client = Client(port: try server.port)
            kill(try #require(EmbeddedPostgres.postmasterID(dataDirectory: directory)), SIGKILL)
            let alive = try await client.send("GET", "/healthz")
            #expect(alive.status == 200)
            try await server.waits(for: "PostgreSQL runs again")
            while try await client.send("GET", "/readyz").status != 200 { await Task.pause() }
            #expect(try await client.send("POST", "/v1/auth/register", Person.registration).status == 201)
            #expect(await server.terminate().code == 0)
        }
    }
}
