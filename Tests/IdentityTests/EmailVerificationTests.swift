import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct `An email address` {
    private func withServer(_ body: (TestIdentity, MailBox) async throws -> Void) async throws {
        try await MailBox.with { box in
            try await body(try await TestIdentity.open { $0.mail = box.configuration }, box)
        }
    }

    private func isVerified(_ account: UUID, _ server: TestIdentity) async throws -> Bool {
        try #require(try await server.identity.contact(of: account)).isVerified
    }

    @Test func `is verified by the mail that registering sends`() async throws {
        try await withServer { server, box in
            let account = try await server.register().userID
            #expect(try await !isVerified(account, server))
            try await server.identity.mailWorker.sendDue()
            let mail = try #require(try box.mails(MailBox.verification).last)
            #expect(mail.contains("To: <ada@example.org>\r\n"))
            #expect(mail.contains("https://chat.example.org/verify-email#token="))
            let token = try box.token(MailBox.verification)
            try await server.identity.verifyEmail(token: token)
            #expect(try await isVerified(account, server))
            await #expect(throws: IdentityError.self) { try await server.identity.verifyEmail(token: token) }
        }
    }

    @Test func `is not verified by a token that is over or forged`() async throws {
        try await withServer { server, box in
            let account = try await server.register().userID
            try await server.identity.forgotPassword(email: "ada@example.org")
            try await server.identity.mailWorker.sendDue()
            let (token, other) = (try box.token(MailBox.verification), try box.token(MailBox.reset))
            server.clock.advance(by: 24 * 3600)
            for token in [token, other, Secret(""), Secret("x")] {
                await #expect(throws: IdentityError.self) { try await server.identity.verifyEmail(token: token) }
            }
            #expect(try await !isVerified(account, server))
        }
    }

    @Test func `is asked for again, with one mail waiting at a time and none once it is verified`() async throws {
        try await withServer { server, box in
            let signedIn = try await server.register()
            let user = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
            for _ in 0..<5 { try await server.identity.resendVerification(to: user) }
            #expect(try await server.identity.outbox.counts().waiting == 1)
            try await server.identity.mailWorker.sendDue()
            for _ in 0..<5 { try await server.identity.resendVerification(to: user) }
            try await server.identity.mailWorker.sendDue()
            #expect(try box.mails(MailBox.verification).count == 2)
            try await server.identity.resendVerification(to: user)
            try await server.identity.verifyEmail(token: try box.token(MailBox.verification))
            // The one that waits has nothing to ask for any more.
            try await server.identity.mailWorker.sendDue()
            try await server.identity.resendVerification(to: user)
            #expect(try box.mails(MailBox.verification).count == 2)
            #expect(try await server.identity.outbox.counts().waiting == 0)
        }
    }

    @Test func `that is taken gets no mail by another registration`() async throws {
        let server = try await TestIdentity.open()
        _ = try await server.register()
        await #expect(throws: IdentityError.emailTaken) { try await server.register() }
        #expect(try await server.identity.outbox.counts().waiting == 1)
    }
}
