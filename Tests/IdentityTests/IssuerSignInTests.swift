import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct `Signing in by an issuer's word` {
    private func word(
        _ subject: String = "subject-1",
        issuer: String = "https://id.example",
        email: String? = "ada@example.org",
        name: String? = "Ada"
    ) -> IssuerIdentity {
        IssuerIdentity(issuer: issuer, subject: subject, email: email, displayName: name)
    }

    private func verify(_ email: String = "ada@example.org") async throws {
        try await TestDatabase.current.administrator.execute(
            "UPDATE parley.accounts SET email_verified_at = now() WHERE email = \(email)"
        )
    }

    @Test func `makes an account at first, and opens it ever after, whatever the address is then`() async throws {
        let server = try await TestIdentity.open()
        let (first, isNew) = try await server.identity.signIn(word(), deviceName: "Phone")
        #expect(isNew)
        #expect(first.session.deviceName == "Phone")
        #expect(server.profiles.entries == [.init(account: first.userID, displayName: "Ada")])
        #expect(try await server.identity.contact(of: first.userID)?.isVerified == true)
        for email in ["ada@example.org", "new@example.org", nil] {
            let (again, isNew) = try await server.identity.signIn(word(email: email), deviceName: nil)
            #expect(again.userID == first.userID && !isNew)
        }
        let user = try await server.identity.authenticate(bearer: first.accessToken.exposed)
        #expect(user.userID == first.userID)
        // The same subject of another issuer is somebody else.
        let other = word(issuer: "https://other.example", email: "eve@example.org")
        #expect(try await server.identity.signIn(other, deviceName: nil).signedIn.userID != first.userID)
    }

    @Test func `begins without a name where the one there breaks a rule here`() async throws {
        let server = try await TestIdentity.open()
        for (number, name) in ["", "x", "Ada\u{202E}", nil].enumerated() {
            _ = try await server.identity.signIn(
                word("subject-\(number)", email: "\(number)@example.org", name: name),
                deviceName: nil
            )
        }
        #expect(server.profiles.entries.map(\.displayName) == [nil, nil, nil, nil])
    }

    @Test func `leaves an account closed to passwords until one is set by mail`() async throws {
        try await MailBox.with { box in
            let server = try await TestIdentity.open { $0.mail = box.configuration }
            let (signedIn, _) = try await server.identity.signIn(word(), deviceName: nil)
            for password in ["", "correct horse", "null"] {
                await #expect(throws: IdentityError.invalidCredentials) { try await server.login(password: password) }
            }
            let user = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
            await #expect(throws: IdentityError.invalidCredentials) {
                try await server.identity.changePassword(
                    of: user,
                    current: Secret("correct horse"),
                    new: Secret("better battery")
                )
            }
            try await server.identity.forgotPassword(email: "ada@example.org")
            try await server.identity.mailWorker.sendDue()
            let token = try box.token(MailBox.reset)
            try await server.identity.resetPassword(token: token, new: Secret("better battery"))
            #expect(try await server.login(password: "better battery").userID == signedIn.userID)
            #expect(try await server.identity.signIn(word(), deviceName: nil).signedIn.userID == signedIn.userID)
        }
    }

    @Test func `opens the account with the same address where both have verified it, and tells its owner`() async throws
    {
        try await MailBox.with { box in
            let server = try await TestIdentity.open { $0.mail = box.configuration }
            let registered = try await server.register()
            try await verify()
            let (signedIn, isNew) = try await server.identity.signIn(word(email: "ADA@example.org"), deviceName: nil)
            #expect(signedIn.userID == registered.userID && !isNew)
            try await server.identity.mailWorker.sendDue()
            #expect(try box.mails("A new way to sign in to your account").count == 1)
            // The password goes on to count.
            #expect(try await server.login().userID == registered.userID)
        }
    }

    /// Somebody who registers another's address and waits must not share an account with its owner.
    @Test func `opens no account that has the address without having proved it`() async throws {
        let server = try await TestIdentity.open()
        let squatter = try await server.register()
        await #expect(throws: LinkRefusal.addressUnproved) {
            try await server.identity.signIn(word(), deviceName: nil)
        }
        #expect(try await server.login().userID == squatter.userID)
        try await verify()
        #expect(try await server.identity.signIn(word(), deviceName: nil).signedIn.userID == squatter.userID)
    }

    @Test func `opens nothing by an address that the issuer has not verified`() async throws {
        let server = try await TestIdentity.open()
        _ = try await server.register()
        try await verify()
        for email in [nil, "no address"] {
            await #expect(throws: LinkRefusal.noVerifiedEmail) {
                try await server.identity.signIn(word(email: email), deviceName: nil)
            }
        }
    }

    @Test func `opens no account for who was given another's address since`() async throws {
        let server = try await TestIdentity.open()
        let (ada, _) = try await server.identity.signIn(word(), deviceName: nil)
        await #expect(throws: LinkRefusal.addressOfAnother) {
            try await server.identity.signIn(word("subject-2"), deviceName: nil)
        }
        // Another issuer that has verified it, too, speaks for who has it now as much as the first.
        let other = word("subject-2", issuer: "https://other.example")
        #expect(try await server.identity.signIn(other, deviceName: nil).signedIn.userID == ada.userID)
    }

    @Test func `makes one account when somebody comes for the first time many times at once`() async throws {
        let server = try await TestIdentity.open()
        let word = word()
        let people = try await withThrowingTaskGroup(of: (UUID, Bool).self) { group in
            for _ in 0..<12 {
                group.addTask {
                    let (signedIn, isNew) = try await server.identity.signIn(word, deviceName: nil)
                    return (signedIn.userID, isNew)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(people.map(\.0)).count == 1)
        #expect(people.filter(\.1).count == 1)
    }

    @Test func `opens no account that is closed, and none that is erased`() async throws {
        let server = try await TestIdentity.open()
        let (ada, _) = try await server.identity.signIn(word(), deviceName: nil)
        #expect(try await server.identity.deactivate(ada.userID))
        await #expect(throws: IdentityError.deactivated) { try await server.identity.signIn(word(), deviceName: nil) }
        #expect(try await server.identity.beginErasure(of: ada.userID))
        let (again, isNew) = try await server.identity.signIn(word(), deviceName: nil)
        #expect(isNew && again.userID != ada.userID)
    }
}

@Suite(.database) struct `An attempt to sign in with a browser` {
    private func attempt(_ server: TestIdentity, state: String = "state") -> SignInAttempt {
        SignInAttempt(
            provider: "google",
            state: state,
            nonce: "nonce",
            verifier: "verifier",
            redirectURL: "https://chat.example/v1/auth/oidc/google/callback",
            returnTo: "/",
            deviceName: nil,
            expiresAt: server.clock.now.addingTimeInterval(SignInAttempt.lifetime)
        )
    }

    @Test func `comes back as it was, while its time lasts and nobody has touched it`() async throws {
        let server = try await TestIdentity.open()
        let attempt = attempt(server)
        let sealed = try server.identity.seal(attempt).exposed
        #expect(!sealed.contains("verifier"))
        #expect(server.identity.attempt(sealedAs: sealed) == attempt)
        let changed = (sealed.hasPrefix("A") ? "B" : "A") + sealed.dropFirst()
        for text in ["", "x", String(sealed.dropLast(2)), changed, sealed + "A"] {
            #expect(server.identity.attempt(sealedAs: text) == nil)
        }
        server.clock.advance(by: SignInAttempt.lifetime)
        #expect(server.identity.attempt(sealedAs: sealed) == nil)
    }

    @Test func `ends once, on all servers together`() async throws {
        let (one, two) = (try await TestIdentity.open(), try await TestIdentity.open())
        let attempt = attempt(one)
        let ends = try await withThrowingTaskGroup(of: Bool.self) { group in
            for server in [one, two, one, two] { group.addTask { try await server.identity.end(attempt) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends.filter { $0 }.count == 1)
        #expect(try await one.identity.end(self.attempt(one, state: "another")))
        one.clock.advance(by: SignInAttempt.lifetime + 3_601)
        #expect(try await one.identity.signInAttempts.deleteOver(at: one.clock.now) == 2)
    }
}
