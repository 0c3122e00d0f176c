import Foundation
import Logging
import Mail
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database, .timeLimit(.minutes(10))) struct `The outbox` {
    private func configuration(_ server: SMTPTestServer) throws -> MailConfiguration {
        var mail = MailConfiguration(
            mailer: Mailer(.server(try SMTPServer(url: "smtp://127.0.0.1:\(server.port)"))),
            from: MailAddress("Parley <no-reply@example.org>")
        )
        mail.ratePerSecond = 1_000
        return mail
    }

    /// Makes what waits due at once.
    private func hurry() async throws {
        try await TestDatabase.current.administrator.execute("UPDATE parley.mail_outbox SET next_attempt_at = now()")
    }

    private func rows(_ condition: String) async throws -> Int {
        try await TestDatabase.current.administrator.query(
            "SELECT 1 FROM parley.mail_outbox WHERE \(SQL(stringLiteral: condition))"
        ).count
    }

    @Test func `is worked off by several servers together, each mail once`() async throws {
        try await SMTPTestServer.with { smtp in
            let mail = try configuration(smtp)
            let servers = [
                try await TestIdentity.open { $0.mail = mail }, try await TestIdentity.open { $0.mail = mail },
                try await TestIdentity.open { $0.mail = mail },
            ]
            for number in 0..<30 { _ = try await servers[number % 3].register("person\(number)@example.org") }
            try await withThrowingTaskGroup { group in
                for server in servers { group.addTask { try await server.identity.mailWorker.sendDue() } }
                try await group.waitForAll()
            }
            var recipients: [String] = []
            for _ in 0..<30 { recipients += try #require(await smtp.next()).to }
            #expect(Set(recipients) == Set((0..<30).map { "person\($0)@example.org" }))
            #expect(try await servers[0].identity.outbox.counts() == MailOutbox.Counts(waiting: 0, dead: 0))
        }
    }

    private struct Undone: Error {}

    @Test func `has the mail that names a disabled webhook only where it is disabled`() async throws {
        try await MailBox.with { box in
            let server = try await TestIdentity.open {
                $0.mail = box.configuration
                $0.mail.operatorAddress = EmailAddress(stored: "ops@example.org")
            }
            let (webhook, pool) = (UUID(), TestDatabase.current.pool)
            await #expect(throws: Undone.self) {
                try await pool.withTransaction { connection in
                    try await server.identity.mailAboutDisabledWebhook(webhook, on: connection)
                    throw Undone()
                }
            }
            #expect(try await rows("true") == 0)
            try await pool.withTransaction { connection in
                try await server.identity.mailAboutDisabledWebhook(webhook, on: connection)
            }
            try await server.identity.mailWorker.sendDue()
            let mail = try #require(try box.mails("A webhook is disabled").first)
            #expect(mail.contains(webhook.uuidString.lowercased()))
        }
    }

    @Test func `tries again later what the mail server does not take now, with the same token`() async throws {
        try await SMTPTestServer.with { smtp in
            let mail = try configuration(smtp)
            let server = try await TestIdentity.open { $0.mail = mail }
            let account = try await server.register("later@example.org").userID
            try await server.identity.mailWorker.sendDue()
            #expect(try await rows("attempts = 1 AND dead_at IS NULL AND last_failure LIKE '%451%'") == 1)
            #expect(try await rows("next_attempt_at BETWEEN now() + interval '5 s' AND now() + interval '15 s'") == 1)
            // Not due yet.
            try await server.identity.mailWorker.sendDue()
            #expect(try await rows("attempts = 1") == 1)
            try await hurry()
            try await server.identity.mailWorker.sendDue()
            let received = try #require(await smtp.next())
            #expect(received.to == ["later@example.org"])
            #expect(try await rows("true") == 0)
            // Without the app's address the token stands on a line of its own.
            let line = received.content.split(separator: "\r\n").first { $0.utf8.count == 64 }
            try await server.identity.verifyEmail(token: Secret(String(try #require(line))))
            #expect(try await server.identity.contact(of: account)?.isVerified == true)
        }
    }

    @Test func `sends what was taken without an answer once more, which brings no used token back`() async throws {
        try await SMTPTestServer.with { smtp in
            let mail = try configuration(smtp)
            let server = try await TestIdentity.open { $0.mail = mail }
            _ = try await server.register("lost@example.org")
            try await TestDatabase.current.administrator.execute("DELETE FROM parley.mail_outbox")
            try await server.identity.forgotPassword(email: "lost@example.org")
            try await server.identity.mailWorker.sendDue()
            let first = try #require(await smtp.next())
            let line = try #require(first.content.split(separator: "\r\n").first { $0.utf8.count == 64 })
            try await server.identity.resetPassword(token: Secret(String(line)), new: Secret("better battery"))
            try await hurry()
            try await server.identity.mailWorker.sendDue()
            var again = try #require(await smtp.next())
            if again.content.contains("was changed") { again = try #require(await smtp.next()) }
            #expect(again.content == first.content)
            await #expect(throws: IdentityError.self) {
                try await server.identity.resetPassword(token: Secret(String(line)), new: Secret("third battery"))
            }
            _ = try await server.login("lost@example.org", password: "better battery")
        }
    }

    @Test func `gives up what is refused for good, and keeps it without its address`() async throws {
        try await SMTPTestServer.with { smtp in
            let captured = CapturedLog()
            let mail = try configuration(smtp)
            let server = try await TestIdentity.open(logger: captured.logger) { $0.mail = mail }
            _ = try await server.register("refused.person@example.org")
            try await server.identity.forgotPassword(email: "refused.person@example.org")
            try await server.identity.mailWorker.sendDue()
            #expect(try await server.identity.outbox.counts() == MailOutbox.Counts(waiting: 0, dead: 2))
            #expect(try await rows("sealed_recipient IS NULL AND last_failure LIKE '%550%'") == 2)
            #expect(captured.text.contains("550"))
            #expect(!captured.text.contains("refused.person"))
        }
    }

    @Test func `gives up in the end, by tries and by time`() async throws {
        try await SMTPTestServer.with { smtp in
            var mail = try configuration(smtp)
            mail.attemptLimit = 3
            let bounded = mail
            let server = try await TestIdentity.open { $0.mail = bounded }
            _ = try await server.register("drop@example.org")
            for attempt in 1...3 {
                #expect(try await rows("dead_at IS NULL AND attempts = \(attempt - 1)") == 1)
                try await hurry()
                try await server.identity.mailWorker.sendDue()
            }
            #expect(try await rows("dead_at IS NOT NULL AND attempts = 3") == 1)
            _ = try await server.register("drop2@example.org")
            try await TestDatabase.current.administrator.execute(
                "UPDATE parley.mail_outbox SET give_up_at = now() + interval '1 s' WHERE dead_at IS NULL"
            )
            try await server.identity.mailWorker.sendDue()
            #expect(try await rows("dead_at IS NOT NULL AND attempts = 1") == 1)
        }
    }

    @Test func `goes on after a crash when the lease is over, and not before`() async throws {
        try await SMTPTestServer.with { smtp in
            let mail = try configuration(smtp)
            let server = try await TestIdentity.open { $0.mail = mail }
            _ = try await server.register()
            // What a server leaves that is killed between taking the mail and sending it.
            let claimed = try await server.identity.outbox.claim(lease: .seconds(120))
            #expect(claimed?.attempts == 1)
            #expect(try await server.identity.outbox.claim(lease: .seconds(120)) == nil)
            try await hurry()
            try await server.identity.mailWorker.sendDue()
            #expect(await smtp.next()?.to == ["ada@example.org"])
        }
    }

    @Test func `is looked at seldom where nobody adds a mail and others would be heard of`() {
        let activity = OutboxActivity()
        #expect(activity.beginSearch(mayRest: true))
        #expect(!activity.beginSearch(mayRest: true))
        #expect(activity.beginSearch(mayRest: false))
        activity.noteAddition()
        #expect(activity.beginSearch(mayRest: true))
        #expect(activity.beginSearch(mayRest: true))
    }

    @Test func `lets a mail go that a stopping server had not sent`() async throws {
        try await SMTPTestServer.with { smtp in
            let mail = try configuration(smtp)
            let server = try await TestIdentity.open { $0.mail = mail }
            _ = try await server.register("hang@example.org")
            let running = Task { try await server.identity.run() }
            await smtp.hangs()
            running.cancel()
            try await running.value
            #expect(try await rows("next_attempt_at <= now() AND dead_at IS NULL") == 1)
        }
    }

    @Test func `waits where there is no way to send, and is swept when it is of no use any more`() async throws {
        let server = try await TestIdentity.open()
        _ = try await server.register()
        try await server.identity.forgotPassword(email: "ada@example.org")
        try await server.identity.forgotPassword(email: "nobody@example.org")
        try await server.identity.mailWorker.sendDue()
        try await server.identity.maintainOutbox()
        #expect(try await server.identity.outbox.counts() == MailOutbox.Counts(waiting: 3, dead: 0))
        let administrator = TestDatabase.current.administrator
        try await administrator.execute("UPDATE parley.mail_outbox SET give_up_at = now()")
        try await server.identity.maintainOutbox()
        // Of the others nobody knows whether they were for anyone.
        #expect(try await server.identity.outbox.counts() == MailOutbox.Counts(waiting: 0, dead: 1))
        try await administrator.execute("UPDATE parley.mail_outbox SET dead_at = now() - interval '31 days'")
        try await server.identity.maintainOutbox()
        #expect(try await rows("true") == 0)
    }

    @Test func `is bounded: beyond it nothing is asked for, and registering goes on`() async throws {
        let server = try await TestIdentity.open {
            $0.mail.queueLimit = 2
            $0.mail.deadLimit = 1
        }
        _ = try await server.register()
        try await server.identity.forgotPassword(email: "ada@example.org")
        await #expect(throws: IdentityError.overloaded) {
            try await server.identity.forgotPassword(email: "nobody@example.org")
        }
        _ = try await server.register("bob@example.org")
        #expect(try await rows("true") == 2)
        // Nor does what was given up pile up.
        try await TestDatabase.current.administrator.execute("UPDATE parley.mail_outbox SET dead_at = now()")
        try await server.identity.maintainOutbox()
        #expect(try await rows("true") == 1)
    }

    @Test func `goes with its account, and so do its tokens`() async throws {
        try await MailBox.with { box in
            let server = try await TestIdentity.open { $0.mail = box.configuration }
            let account = try await server.register().userID
            try await server.identity.mailWorker.sendDue()
            let token = try box.token(MailBox.verification)
            let user = AuthenticatedUser(userID: account, sessionID: UUID(), tokenExpiresAt: .distantFuture)
            try await server.identity.resendVerification(to: user)
            let administrator = TestDatabase.current.administrator
            try await administrator.execute("DELETE FROM parley.sessions")
            try await administrator.execute("DELETE FROM parley.accounts")
            #expect(try await rows("true") == 0)
            await #expect(throws: IdentityError.self) { try await server.identity.verifyEmail(token: token) }
        }
    }

    @Test func `tries less and less often`() {
        for attempt in 1...60 {
            let longest = min(15 * pow(2, Double(attempt - 1)), 3600)
            for _ in 0..<20 {
                #expect((longest / 2...longest).contains(MailWorker.delay(after: attempt)))
            }
        }
    }

    @Test func `forgets used tokens only when no mail can hold them`() async throws {
        try await MailBox.with { box in
            let server = try await TestIdentity.open { $0.mail = box.configuration }
            _ = try await server.register()
            try await server.identity.mailWorker.sendDue()
            let now = server.clock.now
            #expect(try await server.identity.issuedTokens.deleteOver(at: now + 3 * 86_400 - 1) == 0)
            #expect(try await server.identity.issuedTokens.deleteOver(at: now + 3 * 86_400 + 1) == 1)
        }
    }
}
