import Crypto
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct `A forgotten password` {
    private func withServer(_ body: (TestIdentity, MailBox) async throws -> Void) async throws {
        try await MailBox.with { box in
            try await body(try await TestIdentity.open { $0.mail = box.configuration }, box)
        }
    }

    private func reset(_ server: TestIdentity, _ token: Secret, to password: String = "better battery") async throws {
        try await server.identity.resetPassword(token: token, new: Secret(password))
    }

    private func expectRefused(_ server: TestIdentity, _ token: Secret, password: String = "another horse") async {
        let error = await #expect(throws: IdentityError.self) { try await reset(server, token, to: password) }
        guard case .invalid(let fields)? = error else {
            Issue.record("not a validation error: \(String(describing: error))")
            return
        }
        #expect(fields.map(\.field) == ["token"])
    }

    @Test func `is replaced by the token of a mail, once, and all sessions end`() async throws {
        try await withServer { server, box in
            let signedIn = try await server.register()
            try await server.identity.forgotPassword(email: " ADA@example.org ")
            try await server.identity.mailWorker.sendDue()
            let token = try box.token(MailBox.reset)
            try await reset(server, token)
            await #expect(throws: IdentityError.unauthenticated) {
                try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
            }
            await #expect(throws: IdentityError.unauthenticated) {
                try await server.identity.refresh(signedIn.refreshToken.exposed)
            }
            await #expect(throws: IdentityError.invalidCredentials) { try await server.login() }
            _ = try await server.login(password: "better battery")
            await expectRefused(server, token)
            _ = try await server.login(password: "better battery")
            try await server.identity.mailWorker.sendDue()
            #expect(try box.mails(MailBox.notice).count == 1)
            // Who reads the mails of the address has proved it.
            #expect(try await server.identity.contact(of: signedIn.userID)?.isVerified == true)
        }
    }

    @Test func `has one new one when a token is used many times at once`() async throws {
        try await withServer { server, box in
            _ = try await server.register()
            try await server.identity.forgotPassword(email: "ada@example.org")
            try await server.identity.mailWorker.sendDue()
            let token = try box.token(MailBox.reset)
            let successes = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        do {
                            try await server.identity.resetPassword(token: token, new: Secret("new password \(number)"))
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(successes == 1)
        }
    }

    @Test func `is not replaced by a token that is over, or older than the password`() async throws {
        try await withServer { server, box in
            let signedIn = try await server.register()
            func ask() async throws -> Secret {
                try await server.identity.forgotPassword(email: "ada@example.org")
                try await server.identity.mailWorker.sendDue()
                return try box.token(MailBox.reset)
            }
            let expired = try await ask()
            server.clock.advance(by: 30 * 60)
            await expectRefused(server, expired)
            let (first, second) = (try await ask(), try await ask())
            #expect(first != second)
            try await reset(server, first)
            await expectRefused(server, second)
            let older = try await ask()
            let user = try await server.identity.authenticate(
                bearer: try await server.login(password: "better battery").accessToken.exposed
            )
            #expect(user.userID == signedIn.userID)
            try await server.identity.changePassword(
                of: user,
                current: Secret("better battery"),
                new: Secret("third battery")
            )
            await expectRefused(server, older)
            _ = try await server.login(password: "third battery")
        }
    }

    @Test func `is not replaced by a forged token, and one that is refused costs no hash`() async throws {
        try await MailBox.with { box in
            let server = try await TestIdentity.open {
                $0.mail = box.configuration
                $0.passwordQueueLimit = 0
            }
            _ = try await server.register()
            try await server.identity.mailWorker.sendDue()
            // A genuine token, for another purpose.
            let verification = try box.token(MailBox.verification)
            let foreign = MailTokens(masterKeys: MasterKeys(SymmetricKey(size: .bits256))).token(
                of: UUID(),
                for: .resetPassword
            )
            // Genuine as far as one can see, but its mail was never sent.
            let unsent = server.identity.mailTokens.token(of: UUID(), for: .resetPassword)
            let busy = await BusyThreads(server.identity.passwords.threads, count: 1)
            for token in [
                verification, foreign.text, unsent.text, Secret(""), Secret("x"), Secret(verification.exposed + "A"),
                Secret(String(repeating: "A", count: 64)), Secret(String(repeating: "A", count: 100_000)), Secret("\0"),
            ] { await expectRefused(server, token) }
            await busy.release()
        }
    }

    @Test func `that breaks the rule leaves the token good`() async throws {
        try await withServer { server, box in
            _ = try await server.register()
            try await server.identity.forgotPassword(email: "ada@example.org")
            try await server.identity.mailWorker.sendDue()
            let token = try box.token(MailBox.reset)
            let error = await #expect(throws: IdentityError.self) { try await reset(server, token, to: "short") }
            guard case .invalid(let fields)? = error else { return }
            #expect(fields.map(\.field) == ["newPassword"])
            try await reset(server, token)
        }
    }

    @Test func `is asked for with the same statement and rows whoever has the address, and without a hash`()
        async throws
    {
        let server = try await TestIdentity.open { $0.passwordQueueLimit = 0 }
        _ = try await server.register()
        _ = try await server.register("bob@example.org")
        let administrator = TestDatabase.current.administrator
        try await administrator.execute("DELETE FROM parley.mail_outbox")
        try await administrator.execute(
            "UPDATE parley.accounts SET password_hash = NULL WHERE email = 'bob@example.org'"
        )
        let busy = await BusyThreads(server.identity.passwords.threads, count: 1)
        var rows: [String] = []
        for email in [
            "ada@example.org", "nobody@example.org", "bob@example.org", "no address", "", "a@b",
            String(repeating: "x", count: 250) + "@example.org", String(repeating: "y", count: 100_000),
            "ada\0@example.org",
        ] {
            try await server.identity.forgotPassword(email: email)
            rows += try await administrator.query(
                """
                DELETE FROM parley.mail_outbox RETURNING concat_ws(' ', kind, account_id IS NULL,
                    octet_length(sealed_recipient), give_up_at - created_at, attempts) AS shape
                """
            ).map { try $0.decode("shape", as: String.self) }
        }
        await busy.release()
        #expect(rows == Array(repeating: "resetPassword t 283 00:30:00 0", count: 9))
    }

    @Test func `gets a mail only where there is an account with a password`() async throws {
        try await withServer { server, box in
            _ = try await server.register()
            _ = try await server.register("bob@example.org")
            try await TestDatabase.current.administrator.execute(
                "UPDATE parley.accounts SET password_hash = NULL WHERE email = 'bob@example.org'"
            )
            let eve = try await server.register("eve@example.org").userID
            #expect(try await server.identity.deactivate(eve))
            for email in ["nobody@example.org", "bob@example.org", "eve@example.org", "no address", ""] {
                try await server.identity.forgotPassword(email: email)
            }
            try await server.identity.mailWorker.sendDue()
            #expect(try box.mails(MailBox.reset).isEmpty)
            #expect(try await server.identity.outbox.counts() == MailOutbox.Counts(waiting: 0, dead: 0))
            // Nor does a token that was made before the password went away bring one back.
            try await server.identity.forgotPassword(email: "ada@example.org")
            try await server.identity.mailWorker.sendDue()
            try await TestDatabase.current.administrator.execute("UPDATE parley.accounts SET password_hash = NULL")
            await expectRefused(server, try box.token(MailBox.reset))
        }
    }

    @Test func `is no way to learn an address or a token from the database`() async throws {
        try await withServer { server, box in
            _ = try await server.register("planted.address@example.org")
            try await server.identity.forgotPassword(email: "planted.address@example.org")
            let administrator = TestDatabase.current.administrator
            let waiting = try await administrator.query(
                "SELECT row_to_json(m)::text AS stored FROM parley.mail_outbox m"
            )
            #expect(waiting.count == 2)
            try await server.identity.mailWorker.sendDue()
            let token = try box.token(MailBox.reset).exposed
            let sent = try await administrator.query("SELECT row_to_json(t)::text AS stored FROM parley.mail_tokens t")
            #expect(sent.count == 2)
            let stored = try (Array(waiting) + Array(sent)).map { try $0.decode("stored", as: String.self) }.joined()
            #expect(!stored.contains("planted") && !stored.contains(hex("planted")) && !stored.contains(token))
        }
    }

    private func hex(_ text: String) -> String {
        text.utf8.map { String(format: "%02x", $0) }.joined()
    }
}
