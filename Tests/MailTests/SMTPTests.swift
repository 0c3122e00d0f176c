import Foundation
import TestSupport
import Testing

@testable import Mail

/// Against a real mail server.
@Suite(.timeLimit(.minutes(10))) struct `A mail server` {
    private func mail(to address: String = "ada@example.org", text: String = "Hello\n.\n..\nü\n") throws -> MailMessage
    {
        MailMessage(
            id: UUID(),
            date: Date(),
            from: try #require(MailAddress("Parley <no-reply@example.org>")),
            to: try #require(MailAddress(address: address)),
            subject: "Grüße",
            text: text
        )
    }

    private func failure(sending mail: MailMessage, by server: SMTPServer) async -> MailError? {
        await #expect(throws: MailError.self) { try await Mailer(.server(server)).send(mail) }
    }

    @Test func `takes a mail over as it was written`() async throws {
        try await SMTPTestServer.with { server in
            let mail = try mail()
            let mailer = Mailer(.server(try SMTPServer(url: "smtp://127.0.0.1:\(server.port)")))
            try await mailer.send(mail)
            let received = try #require(await server.next())
            #expect(received.from == "no-reply@example.org")
            #expect(received.to == ["ada@example.org"])
            #expect(Array(received.content.utf8) == mail.rendered())
            #expect(!received.isEncrypted)
            // A large one, and one after the other on the same thread.
            let long = try self.mail(text: String(repeating: "A line of a long text.\n", count: 20_000))
            try await mailer.send(long)
            #expect(Array(try #require(await server.next()).content.utf8) == long.rendered())
        }
    }

    @Test(arguments: [SMTPTestServer.Security.startTLS, .implicit])
    func `is spoken to in secret, with a password`(security: SMTPTestServer.Security) async throws {
        let scheme = security == .implicit ? "smtps" : "smtp"
        try await SMTPTestServer.with(security, account: ("parley", "p:ss/w@rd")) { server in
            let url = "\(scheme)://localhost:\(server.port)"
            let trusted = try SMTPServer(
                url: url,
                user: "parley",
                password: "p:ss/w@rd",
                certificates: server.certificate
            )
            try await Mailer(.server(trusted)).send(mail())
            let received = try #require(await server.next())
            #expect(received.isEncrypted)
            #expect(received.user == "parley")
            let inURL = try SMTPServer(
                url: "\(scheme)://parley:p%3Ass%2Fw%40rd@localhost:\(server.port)",
                certificates: server.certificate
            )
            try await Mailer(.server(inURL)).send(mail())
            #expect(await server.next() != nil)
            let wrong = try SMTPServer(url: url, user: "parley", password: "wrong", certificates: server.certificate)
            let refusal = await failure(sending: try mail(), by: wrong)
            #expect(refusal?.isPassing == true)
            #expect(refusal?.description.contains("wrong") == false)
        }
    }

    @Test(arguments: [SMTPTestServer.Security.startTLS, .implicit])
    func `whose certificate nobody vouches for gets nothing`(security: SMTPTestServer.Security) async throws {
        try await SMTPTestServer.with(security) { server in
            let scheme = security == .implicit ? "smtps" : "smtp"
            var unknown = try SMTPServer(url: "\(scheme)://localhost:\(server.port)")
            if security == .startTLS {
                // As for a host elsewhere, which is trusted by the system's certificates alone.
                unknown = try SMTPServer(
                    url: "smtp://localhost:\(server.port)",
                    certificates: "/etc/ssl/certs/ca-certificates.crt"
                )
            }
            #expect(await failure(sending: try mail(), by: unknown)?.isPassing == true)
            // Nor one whose certificate is for another name.
            let elsewhere = try SMTPServer(
                url: "\(scheme)://127.0.0.2:\(server.port)",
                certificates: server.certificate
            )
            #expect(await failure(sending: try mail(), by: elsewhere)?.isPassing == true)
        }
    }

    @Test func `that offers no STARTTLS where it must gets nothing`() async throws {
        try await SMTPTestServer.with { server in
            let strict = try SMTPServer(url: "smtp://localhost:\(server.port)", certificates: server.certificate)
            #expect(await failure(sending: try mail(), by: strict)?.isPassing == true)
        }
    }

    @Test func `says whether another try may go better`() async throws {
        try await SMTPTestServer.with { server in
            let here = try SMTPServer(url: "smtp://127.0.0.1:\(server.port)")
            let refused = await failure(sending: try mail(to: "refused@example.org"), by: here)
            #expect(refused?.isPassing == false)
            #expect(refused?.description.contains("550") == true)
            #expect(refused?.description.contains("example") == false)
            let later = await failure(sending: try mail(to: "later@example.org"), by: here)
            #expect(later?.isPassing == true)
            #expect(later?.description.contains("451") == true)
            try await Mailer(.server(here)).send(mail(to: "later@example.org"))
            #expect(await server.next()?.to == ["later@example.org"])
            #expect(await failure(sending: try mail(to: "drop@example.org"), by: here)?.isPassing == true)
            #expect(await failure(sending: try mail(to: "lost@example.org"), by: here)?.isPassing == true)
            #expect(await server.next()?.to == ["lost@example.org"])
        }
    }

    @Test func `that hangs is left after its time`() async throws {
        try await SMTPTestServer.with { server in
            var here = try SMTPServer(url: "smtp://127.0.0.1:\(server.port)")
            here.timeout = .milliseconds(700)
            #expect(await failure(sending: try mail(to: "hang@example.org"), by: here)?.isPassing == true)
        }
    }

    @Test func `that hangs is left at once when nobody waits any more`() async throws {
        try await SMTPTestServer.with { server in
            let here = try SMTPServer(url: "smtp://127.0.0.1:\(server.port)")
            let mailer = Mailer(.server(here))
            let mail = try mail(to: "hang@example.org")
            let sending = Task { try await mailer.send(mail) }
            await server.hangs()
            sending.cancel()
            await #expect(throws: CancellationError.self) { try await sending.value }
        }
    }

    @Test func `that is not there is told as such`() async throws {
        let nowhere = try SMTPServer(url: "smtp://127.0.0.1:1")
        #expect(await failure(sending: try mail(), by: nowhere)?.isPassing == true)
    }

    @Test(arguments: [
        "", "mail.example.org", "http://mail.example.org", "smtp://", "smtp:mail.example.org", "smtp://host:0",
        "smtp://host:99999", "smtp://host/path", "smtp://host?x=1", "smtp://host#x", "smtp://user@host",
        "smtp://host name", "smtp://ho\nst",
    ])
    func `needs a url that names it`(url: String) {
        let error = #expect(throws: MailError.self) { try SMTPServer(url: url) }
        #expect(url.isEmpty || error?.description.contains(url) == false)
    }

    @Test func `is not printed with its password`() throws {
        let server = try SMTPServer(url: "smtp://ada:hunter2@mail.example.org")
        var dumped = ""
        dump(server, to: &dumped)
        #expect(!dumped.contains("hunter2") && !"\(server)".contains("hunter2") && !"\([server])".contains("hunter2"))
    }

    @Test func `elsewhere is spoken to in secret whatever its url says, and this machine need not be`() throws {
        #expect(try SMTPServer(url: "smtp://mail.example.org").security == .startTLS)
        #expect(try SMTPServer(url: "smtp://127.0.0.1.example.org").security == .startTLS)
        #expect(try SMTPServer(url: "smtps://localhost").security == .implicit)
        #expect(try SMTPServer(url: "smtp://[::1]:25").security == .none)
        #expect(try SMTPServer(url: "smtp://127.0.0.1", certificates: "x").security == .startTLS)
        #expect(try SMTPServer(url: "smtps://mail.example.org").port == 465)
        #expect(try SMTPServer(url: "smtp://mail.example.org").port == 587)
    }
}
