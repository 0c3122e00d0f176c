import Foundation
import TestSupport
import Testing

/// What clients of the executable are sent by mail.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `The mails of a server's clients` {
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
                #expect(try await client.send("POST", "/v1/auth/register", Person.registration).status == 201)
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
                try await client.waitForMetrics(/parley_mail_sent_total 3/)
                #expect(try await client.send("GET", "/metrics").body.contains("parley_password_hashing_seconds_count"))
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
            #expect(try await client.send("POST", "/v1/auth/register", Person.registration).status == 201)
            var names: [String] = []
            while names.isEmpty {
                names = (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/mail")) ?? []
                names.removeAll { !$0.hasSuffix(".eml") }
                await Task.pause()
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
            #expect(try await client.send("POST", "/v1/auth/register", Person.registration).status == 201)
            #expect(try await client.send("GET", "/readyz").body.contains("mails wait and are not sent"))
            let status = try await ParleyProcess.run(["status", "--data-dir", directory])
            #expect(status.output.contains("mail        1 waiting, 0 given up"))
            #expect(!FileManager.default.fileExists(atPath: "\(directory)/mail"))
            #expect(await server.terminate().code == 0)
        }
    }
}
