import Crypto
import Foundation
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Identity

@Suite(.database) struct Secrets {
    private static let password = "planted-password-4711"
    private static let email = "planted.email@example.org"

    @Test func `are not printed by the values that hold them`() throws {
        let parameters = try #require(ScryptParameters(log2N: 4))
        let secret = Secret(Self.password)
        let password = try Password(choosing: secret)
        let hash = try PasswordHash(password, parameters: parameters)
        let tokens = RefreshTokens(masterKeys: MasterKeys(TestIdentity.masterKey), IdentityConfiguration())
        let token = tokens.first(of: UUID())
        let key = SigningKey()
        let signedIn = SignedIn(
            userID: UUID(),
            session: DeviceSession(id: UUID(), userID: UUID(), deviceName: nil, createdAt: .now, lastSeenAt: .now),
            accessToken: secret,
            accessTokenExpiresAt: .now,
            refreshToken: token.text
        )
        let cookies = CookieTokens(masterKeys: MasterKeys(TestIdentity.masterKey), IdentityConfiguration())
        let cookie = cookies.make(for: UUID())
        let browser = SignedInBrowser(userID: UUID(), session: signedIn.session, cookie: cookies.cookie(cookie))
        let account = Account(
            id: UUID(),
            email: try EmailAddress(Self.email),
            passwordHash: hash.phc,
            passwordVersion: 0,
            isEmailVerified: true,
            pendingProfile: nil
        )
        let values: [Any] = [
            secret, password, hash, hash.phc, token, token.text, tokens, key, signedIn, account,
            cookies, cookie, browser,
            SigningKeySet.Entry(key: key, activatesAt: .now), [secret], Optional(secret) as Any,
            Registration(email: "", password: secret), Login(email: "", password: secret),
        ]
        let planted = [
            Self.password, Self.email, token.text.exposed, String(hash.phc.exposed.suffix(20)),
            key.privateKey.rawRepresentation.base64EncodedString(), "\(token.secret)",
            browser.cookie.value.exposed, "\(cookie.secret)",
            "\(TestIdentity.masterKey.bytes)",
            "\(Array(key.privateKey.rawRepresentation))",
        ]
        for value in values {
            for text in planted { #expect(!printed(value).contains(text)) }
        }
    }

    @Test func `stay out of logs and errors, whatever happens`() async throws {
        let captured = CapturedLog()
        let server = try await TestIdentity.open(logger: captured.logger)
        let signedIn = try await server.register(Self.email, password: Self.password)
        let newer = try await server.identity.refresh(signedIn.refreshToken.exposed)
        _ = try await server.identity.refresh(newer.refreshToken.exposed)
        var errors: [any Error] = []
        func attempt(_ body: () async throws -> Void) async {
            do { try await body() } catch { errors.append(error) }
        }
        await attempt { _ = try await server.register(Self.email, password: Self.password) }
        await attempt { _ = try await server.register("\(Self.email)@", password: Self.password) }
        await attempt { _ = try await server.login(Self.email, password: Self.password + "x") }
        await attempt { _ = try await server.identity.refresh(signedIn.refreshToken.exposed) }
        await attempt { _ = try await server.identity.authenticate(bearer: newer.accessToken.exposed) }
        try await TestDatabase.current.administrator.execute("ALTER TABLE parley.accounts RENAME TO elsewhere")
        await attempt { _ = try await server.login(Self.email, password: Self.password) }
        await attempt { _ = try await server.register(Self.email, password: Self.password) }
        #expect(errors.count == 7)
        #expect(captured.text.contains("used again"))
        let said = errors.map { printed($0) }.joined() + captured.text
        let secrets = [
            Self.password, Self.email, signedIn.refreshToken.exposed, newer.refreshToken.exposed,
            newer.accessToken.exposed,
        ]
        for secret in secrets { #expect(!said.contains(secret)) }
    }

    @Test func `are stored as hashes or sealed`() async throws {
        let server = try await TestIdentity.open()
        let signedIn = try await server.register(Self.email, password: Self.password)
        _ = try await server.identity.refresh(signedIn.refreshToken.exposed)
        let key = try await SigningKeys(pool: TestDatabase.current.pool, masterKeys: MasterKeys(TestIdentity.masterKey))
            .loadOrCreate(at: .now).signing(at: .now)
        let token = try #require(RefreshToken(text: signedIn.refreshToken.exposed))
        let rows = try await TestDatabase.current.administrator.query(
            """
            SELECT row_to_json(a)::text AS stored FROM parley.accounts a
            UNION ALL SELECT row_to_json(s)::text FROM parley.sessions s
            UNION ALL SELECT row_to_json(k)::text FROM parley.signing_keys k
            """
        )
        let stored = try rows.map { try $0.decode("stored", as: String.self) }.joined()
        #expect(rows.count == 3)
        let secrets = [
            Self.password, signedIn.refreshToken.exposed, hex(token.secret),
            hex(Array(key.privateKey.rawRepresentation)),
        ]
        for secret in secrets { #expect(!stored.contains(secret)) }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }
}

@Suite(.database) struct `The server's role` {
    @Test(arguments: [
        "UPDATE parley.accounts SET email = 'eve@example.org'",
        "UPDATE parley.accounts SET account_id = gen_random_uuid()", "TRUNCATE parley.accounts CASCADE",
        "UPDATE parley.sessions SET account_id = gen_random_uuid()",
        "UPDATE parley.sessions SET session_id = gen_random_uuid()", "TRUNCATE parley.sessions",
        "UPDATE parley.signing_keys SET wrapped_key = ''",
        "UPDATE parley.signing_keys SET activates_at = now()", "TRUNCATE parley.signing_keys",
        "DROP TABLE parley.sessions", "ALTER TABLE parley.accounts ADD x int",
    ])
    func `may do with accounts what the server does, and nothing else`(statement: String) async throws {
        _ = try await TestIdentity.open().register()
        let error = await #expect(throws: PostgresError.self) {
            try await TestDatabase.current.pool.withConnection { try await $0.script(statement) }
        }
        #expect(error?.sqlState == .insufficientPrivilege)
    }
}

/// A log that a test reads.
final class CapturedLog: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var logger: Logger {
        var logger = Logger(label: "captured") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:]) \(metadata)") }
        }
    }
}
