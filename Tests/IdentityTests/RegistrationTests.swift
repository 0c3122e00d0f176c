import Foundation
import Postgres
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct Registering {
    @Test func `makes an account, tells the log, and signs in`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register(displayName: "  Ada ", deviceName: " Laptop ")
        #expect(server.profiles.entries == [ProfileLog.Entry(account: signedIn.userID, displayName: "Ada")])
        #expect(signedIn.session.deviceName == "Laptop")
        #expect(signedIn.session.createdAt == server.clock.now)
        #expect(signedIn.accessTokenExpiresAt == server.clock.now + 900)
        let user = try await server.identity.authenticate(bearer: signedIn.accessToken.exposed)
        #expect(user.userID == signedIn.userID)
        #expect(user.sessionID == signedIn.session.id)
        #expect(try await server.identity.contact(of: user.userID)?.email == "ada@example.org")
    }

    @Test func `is possible once for an email, in whatever case`() async throws {
        let server = try await TestIdentity.open()
        let ada = try await server.register("Ada@Example.org")
        await #expect(throws: IdentityError.emailTaken) { try await server.register(" aDA@exAMPLE.ORG ") }
        #expect(try await server.identity.userID(byEmail: "ADA@EXAMPLE.ORG") == ada.userID)
        #expect(try await server.identity.userID(byEmail: "bob@example.org") == nil)
        #expect(try await server.identity.userID(byEmail: "no email \0") == nil)
        #expect(try await server.identity.contact(of: UUID()) == nil)
    }

    @Test func `is possible once for a domain, however that is written`() async throws {
        let server = try await TestIdentity.open()
        let ada = try await server.register("ada@b\u{00FC}cher.example")
        await #expect(throws: IdentityError.emailTaken) { try await server.register("ada@xn--bcher-kva.example") }
        #expect(try await server.identity.contact(of: ada.userID)?.email == "ada@xn--bcher-kva.example")
        for email in ["ada@B\u{00DC}CHER.example", "ada@XN--Bcher-KVA.example"] {
            #expect(try await server.login(email).userID == ada.userID)
            #expect(try await server.identity.userID(byEmail: email) == ada.userID)
        }
    }

    @Test(arguments: ["b\u{00FC}cher.example", "\u{2488}com.org"])
    func `finds accounts whose domain is stored as it was written`(domain: String) async throws {
        let server = try await TestIdentity.open()
        let ada = try await server.register("ada@example.org")
        let email = "ada@\(domain)"
        try await TestDatabase.current.administrator.execute(
            "UPDATE parley.accounts SET email = \(email) WHERE account_id = \(ada.userID)"
        )
        #expect(try await server.login(email).userID == ada.userID)
        #expect(try await server.identity.userID(byEmail: email) == ada.userID)
        await #expect(throws: IdentityError.self) { try await server.register(email) }
    }

    @Test(arguments: ["\u{2488}com.org", "\u{5D0}1a.example"])
    func `refuses a domain that has no form in ASCII`(domain: String) async throws {
        let server = try await TestIdentity.open()
        let error = await #expect(throws: IdentityError.self) { try await server.register("ada@\(domain)") }
        guard case .invalid(let fields)? = error else {
            Issue.record("not a validation error: \(String(describing: error))")
            return
        }
        #expect(fields.map(\.field) == ["email"])
    }

    @Test func `has one winner when many register an email at once`() async throws {
        let server = try await TestIdentity.open()
        let outcomes = await withTaskGroup(of: Result<SignedIn, any Error>.self) { group in
            for index in 0..<20 {
                group.addTask {
                    do { return .success(try await server.register(password: "correct horse \(index)")) } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { (try? $0.get()) != nil } == 1)
        for case .failure(let error) in outcomes { #expect(error as? IdentityError == .emailTaken) }
        #expect(server.profiles.entries.count == 1)
    }

    @Test func `names every field that breaks a rule`() async throws {
        let server = try await TestIdentity.open()
        let error = await #expect(throws: IdentityError.self) {
            try await server.register(
                "nobody",
                password: "1234567",
                displayName: "A",
                deviceName: String(repeating: "x", count: 101)
            )
        }
        guard case .invalid(let fields)? = error else {
            Issue.record("not a validation error: \(String(describing: error))")
            return
        }
        #expect(fields.map(\.field) == ["email", "password", "displayName", "deviceName"])
        #expect(fields.map(\.code) == [.invalid, .tooShort, .tooShort, .tooLong])
    }

    @Test(arguments: [
        ("A\u{0}da", InvalidField.Code.invalid), ("A\nda", .invalid), ("Ada\u{2028}", nil), ("Ad\u{2028}a", .invalid),
        (" A ", .tooShort), ("", .tooShort), (String(repeating: "x", count: 31), .tooLong),
        (String(repeating: "x", count: 30), nil), ("\u{1F469}\u{200D}\u{1F4BB}", nil), ("\u{5D0}\u{5D3}\u{5D4}", nil),
        ("\u{2060}\u{2060}", .invalid), ("\u{301}\u{301}", .invalid), ("\u{2800}\u{2800}", .invalid),
        ("\u{FE0F}\u{3164}", .invalid), ("\u{5E9}\u{5C1}\u{5B8}", nil),
    ])
    func `takes display names of 2 to 30 characters on one line`(name: String, refusal: InvalidField.Code?) {
        do {
            _ = try DisplayNameRule().check(name)
            #expect(refusal == nil)
        } catch {
            #expect(error.code == refusal)
        }
    }

    @Test func `needs no name of the person or the device`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register(displayName: nil, deviceName: " \u{2060}")
        #expect(signedIn.session.deviceName == nil)
        #expect(server.profiles.entries.map(\.displayName) == [nil])
    }

    @Test func `is refused while too many passwords wait, and leaves nothing`() async throws {
        let server = try await TestIdentity.open { $0.passwordQueueLimit = 0 }
        let busy = await BusyThreads(server.identity.passwords.threads, count: 1)
        await #expect(throws: IdentityError.overloaded) { try await server.register() }
        await busy.release()
        _ = try await server.register()
    }

    @Test func `that a crash cut short is completed by the next login, with the name`() async throws {
        let server = try await TestIdentity.open()
        server.profiles.setReachable(false)
        await #expect(throws: ProfileLog.Unreachable.self) { try await server.register(displayName: "Ada") }
        await #expect(throws: ProfileLog.Unreachable.self) { try await server.login() }
        #expect(server.profiles.entries.isEmpty)
        server.profiles.setReachable(true)
        let account = try await server.login().userID
        #expect(server.profiles.entries == [ProfileLog.Entry(account: account, displayName: "Ada")])
        _ = try await server.login()
        #expect(server.profiles.entries.count == 1)
    }

    @Test func `keeps the name out of the table once the log has it`() async throws {
        let server = try await TestIdentity.open()
        _ = try await server.register(displayName: "Ada")
        let accounts = try await TestDatabase.current.administrator.query(
            "SELECT pending_display_name IS NULL AS has_none FROM parley.accounts"
        )
        #expect(try accounts.map { try $0.decode("has_none", as: Bool.self) } == [true])
    }
}
