import Foundation
import Postgres
import TestSupport
import Testing

/// What clients see of the executable's life.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `The server's clients` {
    @Test func `find all that was acknowledged after everything was killed`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            let registered = try await Client(port: first.port).send("POST", "/v1/auth/register", registration)
            #expect(registered.status == 201)
            let postmaster = try #require(EmbeddedPostgres.postmasterID(dataDirectory: directory))
            kill(postmaster, SIGKILL)
            await first.kill()

            let second = try await ParleyProcess.serve(dataDirectory: directory)
            let login = try await Client(port: second.port).send("POST", "/v1/auth/login", registration)
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
            while try await !client.send("GET", path).body.contains(#""text":"Later""#) { await Task.yield() }
            while try await !client.send("GET", "/v1/scheduled").body.contains(#""items":[]"#) { await Task.yield() }
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `are told to reconnect when the server ends, which ends at once`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let registered = try await Client(port: server.port).send("POST", "/v1/auth/register", registration)
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
            while try await client.send("GET", "/readyz").status != 200 { await Task.yield() }
            #expect(try await client.send("POST", "/v1/auth/register", registration).status == 201)
            #expect(await server.terminate().code == 0)
        }
    }

    @Test(.emptyDatabase) func `are served from a database that a superuser's url names`() async throws {
        let environment = [
            "DATABASE_URL": TestDatabase.current.url,
            "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
        let server = try await ParleyProcess.serve([], environment: environment)
        #expect(try await Client(port: server.port).send("POST", "/v1/auth/register", registration).status == 201)
        #expect(await server.terminate().code == 0)
    }

    @Test(.emptyDatabase) func `are served by an account that may not change the tables`() async throws {
        let database = TestDatabase.current
        let key = ["PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString()]
        let first = try await ParleyProcess.serve([], environment: key.merging(["DATABASE_URL": database.url]) { $1 })
        #expect(await first.terminate().code == 0)
        let account = "serving_\(UUID().uuidString.prefix(8).lowercased())"
        try await database.administrator.execute("CREATE ROLE \(identifier: account) LOGIN IN ROLE parley_server")
        let text = database.url + " user=\(account)"
        let second = try await ParleyProcess.serve([], environment: key.merging(["DATABASE_URL": text]) { $1 })
        #expect(try await Client(port: second.port).send("POST", "/v1/auth/register", registration).status == 201)
        #expect(await second.terminate().code == 0)
        try await database.administrator.execute("DROP ROLE \(identifier: account)")
    }

    @Test func `keep their port: a second server that wants it is told so`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            let port = try first.port
            try await withDirectory { other in
                let second = try await ParleyProcess.run(["serve", "--port", "\(port)", "--data-dir", other])
                #expect(second.code == 69)
                #expect(second.output.contains("cannot listen on 127.0.0.1:\(port)"))
            }
            #expect(await first.terminate().code == 0)
        }
    }

    @Test func `hold to the limits that are set, beyond a restart`() async throws {
        try await withDirectory { directory in
            let arguments = ["--data-dir", directory, "--limit-login-account", "2/1h", "--limit-read", "1/1h"]
            let first = try await ParleyProcess.serve(arguments)
            let client = Client(port: try first.port)
            let token = try await client.send("POST", "/v1/auth/register", registration).value("accessToken")
            let reader = Client(port: try first.port, token: token)
            #expect(try await reader.send("GET", "/v1/me").status == 200)
            #expect(try await reader.send("GET", "/v1/me").status == 429)
            #expect(try await client.send("POST", "/v1/auth/login", registration).status == 200)
            #expect(try await client.send("POST", "/v1/auth/login", registration).status == 200)
            let metrics = try await client.send("GET", "/metrics").body
            SecretWatch.inspect(metrics, "the metrics")
            #expect(metrics.contains(#"parley_rate_limit_refusals_total{policy="read"} 1"#))
            #expect(metrics.contains(#"parley_rate_limit_buckets{policy="read"} 1"#))
            #expect(try await !client.send("GET", "/readyz").body.contains("limits"))
            #expect(await first.terminate().code == 0)

            let second = try await ParleyProcess.serve(arguments)
            let login = try await Client(port: second.port).send("POST", "/v1/auth/login", registration)
            #expect(login.status == 429)
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `are told when limits are off`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--limits", "off"])
            let client = Client(port: try server.port)
            #expect(try await client.send("GET", "/readyz").body.contains(#""notes":["limits: off"#))
            for _ in 0..<15 { #expect(try await client.send("POST", "/v1/auth/login", registration).status == 401) }
            #expect(await server.terminate().output.contains("Rate limits are off"))
        }
    }

    @Test func `get mails through the mail server that is configured`() async throws {
        try await SMTPTestServer.with(.startTLS, account: ("parley", "secret")) { smtp in
            try await withDirectory { directory in
                let environment = [
                    "PARLEY_SMTP_URL": "smtp://localhost:\(smtp.port)", "PARLEY_SMTP_USER": "parley",
                    "PARLEY_SMTP_PASSWORD": "secret", "PARLEY_SMTP_CA_FILE": smtp.certificate,
                    "PARLEY_MAIL_FROM": "Chat <no-reply@example.org>", "PARLEY_APP_URL": "https://chat.example.org/",
                ]
                let server = try await ParleyProcess.serve(["--data-dir", directory], environment: environment)
                let client = Client(port: try server.port)
                #expect(try await client.send("GET", "/readyz").body == #"{"status":"ready"}"#)
                #expect(try await client.send("POST", "/v1/auth/register", registration).status == 201)
                let welcome = try #require(await smtp.next())
                #expect(welcome.isEncrypted && welcome.user == "parley" && welcome.to == ["ada@example.org"])
                let forgot = #"{"email":"ada@example.org"}"#
                #expect(try await client.send("POST", "/v1/auth/password/forgot", forgot).status == 202)
                let mail = try #require(await smtp.next()).content
                let link = try #require(mail.firstRange(of: "https://chat.example.org/reset-password#token="))
                let token = mail[link.upperBound...].prefix { !$0.isWhitespace }
                let reset = #"{"token":"\#(token)","newPassword":"better battery"}"#
                #expect(try await client.send("POST", "/v1/auth/password/reset", reset).status == 204)
                #expect(await smtp.next()?.content.contains("Your password was changed") == true)
                // A mail is counted a moment after the mail server has it.
                var metrics = ""
                for _ in 0..<1_000 where !metrics.contains("parley_mail_sent_total 3") {
                    metrics = try await client.send("GET", "/metrics").body
                }
                #expect(metrics.contains("parley_mail_sent_total 3"))
                #expect(metrics.contains("parley_password_hashing_seconds_count"))
                let ended = await server.terminate()
                #expect(ended.code == 0)
                for secret in [String(token), "ada@example.org", "better battery", "secret"] {
                    #expect(!ended.output.contains(secret))
                }
            }
        }
    }

    @Test func `get mails as files while nobody else can reach the server, which says so`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let client = Client(port: try server.port)
            #expect(try await client.send("GET", "/readyz").body.contains("mail: without PARLEY_SMTP_URL"))
            #expect(try await client.send("POST", "/v1/auth/register", registration).status == 201)
            var names: [String] = []
            while names.isEmpty {
                names = (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/mail")) ?? []
                names.removeAll { !$0.hasSuffix(".eml") }
                await Task.yield()
            }
            let mail = try String(contentsOfFile: "\(directory)/mail/\(names[0])", encoding: .utf8)
            #expect(mail.contains("To: <ada@example.org>"))
            let status = try await ParleyProcess.run(["status", "--data-dir", directory])
            #expect(status.output.contains("0 given up"))
            let ended = await server.terminate()
            #expect(ended.code == 0)
            #expect(ended.output.contains("only written as files"))
        }
    }

    @Test func `wait for their mails where others can reach the server, which says so`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--host", "0.0.0.0"])
            let client = Client(port: try server.port)
            #expect(try await client.send("POST", "/v1/auth/register", registration).status == 201)
            #expect(try await client.send("GET", "/readyz").body.contains("mails wait and are not sent"))
            let status = try await ParleyProcess.run(["status", "--data-dir", directory])
            #expect(status.output.contains("mail        1 waiting, 0 given up"))
            #expect(!FileManager.default.fileExists(atPath: "\(directory)/mail"))
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `keep their tokens when the signing key changes, and refresh them when it leaked`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let client = Client(port: try server.port)
            let registered = try await client.send("POST", "/v1/auth/register", registration)
            let signedIn = Client(port: client.port, token: registered.value("accessToken"))
            let rotated = try await ParleyProcess.run(["rotate-keys", "--data-dir", directory])
            #expect(rotated.code == 0 && rotated.output.contains("the keys before verify until"))
            let again = try await ParleyProcess.run(["rotate-keys", "--data-dir", directory])
            #expect(again.code == 1 && again.output.contains("waits for its time"))
            #expect(try await signedIn.send("GET", "/v1/me").status == 200)
            #expect(await server.terminate().code == 0)
            let replaced = try await ParleyProcess.run(["rotate-keys", "--now", "--data-dir", directory])
            #expect(replaced.code == 0 && replaced.output.contains("the keys before are dropped"))
            let second = try await ParleyProcess.serve(dataDirectory: directory)
            let other = Client(port: try second.port, token: registered.value("accessToken"))
            #expect(try await other.send("GET", "/v1/me").status == 401)
            let token = try #require(registered.value("refreshToken"))
            let refresh = try await other.send("POST", "/v1/auth/refresh", #"{"refreshToken":"\#(token)"}"#)
            #expect(refresh.status == 200)
            let fresh = Client(port: other.port, token: refresh.value("accessToken"))
            #expect(try await fresh.send("GET", "/v1/me").status == 200)
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `see metrics and the specification`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let client = Client(port: try server.port)
            #expect(try await client.send("GET", "/metrics").body.contains("postgres_connects_total "))
            #expect(try await client.send("GET", "/openapi.yaml").body.hasPrefix("openapi: 3.1"))
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `see which push services there are, and that there need be none`() async throws {
        let made = try await ParleyProcess.run(["push", "keys"])
        let key = try #require(made.output.firstMatch(of: /PARLEY_PUSH_VAPID_KEY=([A-Za-z0-9_\-]{43})\n/))
        SecretWatch.add(String(key.1))
        let webPush = [
            "PARLEY_PUSH_VAPID_KEY": String(key.1), "PARLEY_PUSH_VAPID_SUBJECT": "mailto:ops@example.com",
        ]
        let servers: [(environment: [String: String], providers: String)] = [([:], "[]"), (webPush, #"["webpush"]"#)]
        for (environment, providers) in servers {
            try await withDirectory { directory in
                let server = try await ParleyProcess.serve(["--data-dir", directory], environment: environment)
                let ada = try await Person.register("ada@example.org", "Ada", on: server)
                let info = try await ada.client.send("GET", "/v1/server")
                #expect(info.status == 200 && info.body.contains(#""providers":\#(providers)"#), "\(info.body)")
                #expect(info.body.contains(#""attachments","push"]"#) == !environment.isEmpty, "\(info.body)")
                #expect(await server.terminate().code == 0)
            }
        }
    }

    private let registration = #"{"email":"ada@example.org","password":"correct horse","displayName":"Ada"}"#
}
