import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct `Signing in` {
    @Test func `starts a session of its own each time`() async throws {
        let server = try await TestIdentity.open()
        let first = try await server.register()
        let second = try await server.login(" ADA@example.org", deviceName: "Phone")
        #expect(second.userID == first.userID)
        #expect(second.session.id != first.session.id)
        #expect(second.session.deviceName == "Phone")
        for signedIn in [first, second] {
            _ = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
        }
    }

    @Test func `answers alike for a wrong password, an unknown email and none`() async throws {
        let server = try await TestIdentity.open()
        _ = try await server.register()
        let attempts = [
            ("ada@example.org", "correct horsf"), ("ada@example.org", "x"), ("ada@example.org", ""),
            ("ada@example.org", String(repeating: "x", count: 100_000)), ("bob@example.org", "correct horse"),
            ("no email", "correct horse"), ("", ""), ("ada@example.org\0", "correct horse"),
            ("bob@example.org", "the password of nobody"),
        ]
        for (email, password) in attempts {
            await #expect(throws: IdentityError.invalidCredentials) {
                try await server.login(email, password: password)
            }
        }
    }

    @Test func `costs the same work with and without an account`() async throws {
        let server = try await TestIdentity.open { $0.passwordQueueLimit = 0 }
        _ = try await server.register()
        let busy = await BusyThreads(server.identity.passwords.threads, count: 1)
        // The one thread is taken: who needs it is refused, and all of these do.
        for email in ["ada@example.org", "bob@example.org", "no email"] {
            for password in ["correct horse", "wrong horse", "x"] {
                await #expect(throws: IdentityError.overloaded) { try await server.login(email, password: password) }
            }
        }
        await busy.release()
    }

    @Test func `is impossible by password for an account that has none`() async throws {
        let server = try await TestIdentity.open()
        _ = try await server.register()
        try await TestDatabase.current.administrator.execute("UPDATE parley.accounts SET password_hash = NULL")
        for password in ["correct horse", "", "the password of nobody"] {
            await #expect(throws: IdentityError.invalidCredentials) { try await server.login(password: password) }
        }
    }

    @Test func `names a device that breaks its rule`() async throws {
        let server = try await TestIdentity.open()
        _ = try await server.register()
        let error = await #expect(throws: IdentityError.self) { try await server.login(deviceName: "a\0b") }
        guard case .invalid(let fields)? = error else {
            Issue.record("not a validation error")
            return
        }
        #expect(fields.map(\.field) == ["deviceName"])
    }

    @Test func `hashes the password anew when the cost has changed, and only then`() async throws {
        let cheap = try await TestIdentity.open { $0.passwordCost = 4 }
        _ = try await cheap.register()
        let first = try await storedHash()
        #expect(first.hasPrefix("$scrypt$ln=4,r=8,p=3$"))
        _ = try await cheap.login()
        #expect(try await storedHash() == first)
        let dear = try await TestIdentity.open { $0.passwordCost = 5 }
        await #expect(throws: IdentityError.invalidCredentials) { try await dear.login(password: "wrong horse") }
        #expect(try await storedHash() == first)
        _ = try await dear.login()
        #expect(try await storedHash().hasPrefix("$scrypt$ln=5,r=8,p=3$"))
        _ = try await dear.login()
    }

    private func storedHash() async throws -> String {
        let rows = try await TestDatabase.current.administrator.query("SELECT password_hash FROM parley.accounts")
        return try #require(try rows.first?.decode("password_hash", as: String.self))
    }
}
