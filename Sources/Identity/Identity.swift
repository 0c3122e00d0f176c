package import Foundation
package import Logging
package import Postgres
import Synchronization

/// Accounts, sessions and tokens: who somebody is. One per process.
package final class Identity: Sendable {
    /// Tells which sessions have ended, for streams.
    package let revocations: Revocations
    package let displayNameRule: DisplayNameRule
    let accounts: Accounts
    let sessions: Sessions
    let lastSeen = LastSeen()
    let passwords: PasswordHasher
    private let refreshTokens: RefreshTokens
    let signInAttempts: SignInAttempts
    let cookieTokens: CookieTokens
    let cookieFindings: TokenMemory<CookieFinding>
    let sessionAccounts: TokenMemory<UUID>
    let knownPrograms: TokenMemory<UUID?>
    let signingKeys: SigningKeys
    let configuration: IdentityConfiguration
    /// Made anew when the keys change.
    let tokens: Mutex<AccessTokens>
    let outbox: MailOutbox
    let issuedTokens: IssuedTokens
    let mailTokens: MailTokens
    let mailRecipients: MailRecipients
    let mailLifetimes: MailLifetimes
    let mailWorker: MailWorker
    private let registerProfile: ProfileRegistration
    let logger: Logger
    let now: @Sendable () -> Date

    /// Tells the log of a new person. It may be called again with the same arguments, and must then change nothing.
    package typealias ProfileRegistration = @Sendable (_ account: UUID, _ displayName: String?) async throws -> Void

    /// Loads the signing keys, or makes one at the very first start.
    ///
    /// - Parameter masterKeys: of 256 bits, the same for all processes on one database.
    /// - Throws: `IdentityStartError`, database errors.
    package static func open(
        _ configuration: IdentityConfiguration,
        pool: PostgresPool,
        masterKeys: MasterKeys,
        registerProfile: @escaping ProfileRegistration,
        logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> Identity {
        try configuration.check()
        let keys = try await SigningKeys(pool: pool, masterKeys: masterKeys).loadOrCreate(at: now())
        return try Identity(configuration, keys, pool, masterKeys, registerProfile, logger, now)
    }

    private init(
        _ configuration: IdentityConfiguration,
        _ keys: SigningKeySet,
        _ pool: PostgresPool,
        _ masterKeys: MasterKeys,
        _ registerProfile: @escaping ProfileRegistration,
        _ logger: Logger,
        _ now: @escaping @Sendable () -> Date
    ) throws {
        IdentityMetrics.begin()
        self.registerProfile = registerProfile
        self.logger = logger
        self.now = now
        displayNameRule = configuration.displayName
        passwords = try PasswordHasher(configuration)
        self.configuration = configuration
        signingKeys = SigningKeys(pool: pool, masterKeys: masterKeys)
        tokens = Mutex(AccessTokens(keys: keys, configuration))
        refreshTokens = RefreshTokens(masterKeys: masterKeys, configuration)
        signInAttempts = SignInAttempts(pool: pool, masterKeys: masterKeys)
        cookieTokens = CookieTokens(masterKeys: masterKeys, configuration)
        cookieFindings = TokenMemory(limit: configuration.verifiedTokenLimit)
        sessionAccounts = TokenMemory(limit: configuration.verifiedTokenLimit)
        knownPrograms = TokenMemory(limit: configuration.verifiedTokenLimit)
        revocations = Revocations(pool: pool, window: configuration.revocationWindow)
        accounts = Accounts(pool: pool)
        outbox = MailOutbox(pool: pool, limit: configuration.mail.queueLimit)
        issuedTokens = IssuedTokens(pool: pool)
        mailTokens = MailTokens(masterKeys: masterKeys)
        mailRecipients = MailRecipients(masterKeys: masterKeys)
        mailLifetimes = MailLifetimes(
            reset: configuration.resetTokenLifetime,
            verification: configuration.emailTokenLifetime
        )
        mailWorker = MailWorker(
            outbox: outbox,
            accounts: accounts,
            issuedTokens: issuedTokens,
            tokens: mailTokens,
            recipients: mailRecipients,
            configuration: configuration.mail,
            lifetimes: mailLifetimes,
            logger: logger,
            now: now
        )
        sessions = Sessions(
            pool: pool,
            refreshTokens: refreshTokens,
            revocations: revocations,
            limit: configuration.sessionLimit,
            logger: logger
        )
    }

    var accessTokens: AccessTokens { tokens.withLock { $0 } }

    /// Makes an account and signs it in.
    ///
    /// - Throws: `IdentityError`: `invalid`, `emailTaken`, `overloaded`.
    package func register(_ registration: Registration) async throws -> SignedIn {
        let (account, deviceName, now) = try await makeAccount(registration)
        return try await startSession(of: account, deviceName: deviceName, at: now)
    }

    func makeAccount(
        _ registration: Registration
    ) async throws -> (account: Account, deviceName: String?, madeAt: Date) {
        let new = try CheckedRegistration(registration, displayNameRule: displayNameRule)
        guard try await accounts.id(of: new.email) == nil else { throw IdentityError.emailTaken }
        let hash = try await passwords.hash(new.password)
        let now = currentTime()
        let account = try await accounts.pool.withTransaction { connection -> Account? in
            let account = try await accounts.insert(
                email: new.email,
                passwordHash: hash,
                displayName: new.displayName,
                at: now,
                on: connection
            )
            if let account { try await askForVerification(of: account.id, on: connection) }
            return account
        }
        guard let account else { throw IdentityError.emailTaken }
        try await completeProfile(of: account)
        return (account, new.deviceName, now)
    }

    /// Signs in.
    ///
    /// - Throws: `IdentityError`: `invalidCredentials`, `deactivated`, `overloaded`, `invalid` for the device's name.
    package func login(_ login: Login) async throws -> SignedIn {
        let (account, deviceName) = try await checkedAccount(login)
        return try await startSession(of: account, deviceName: deviceName, at: currentTime())
    }

    func checkedAccount(_ login: Login) async throws -> (account: Account, deviceName: String?) {
        let deviceName = try checked { () throws(InvalidField) in try DeviceName.check(login.deviceName) }
        // From here on, an unknown email, a malformed one and a wrong password cost the same work and answer alike.
        let account = try await account(claimed: login.email)
        let outcome = try await passwords.check(Password(claimed: login.password), against: account?.passwordHash)
        guard case .right(let replacement) = outcome, let account, let oldHash = account.passwordHash else {
            throw IdentityError.invalidCredentials
        }
        // After the password: whether an account is closed is told to its owner only.
        guard !account.isDeactivated else { throw IdentityError.deactivated }
        if let replacement { try await accounts.replaceHash(of: account.id, old: oldHash, new: replacement) }
        try await completeProfile(of: account)
        return (account, deviceName)
    }

    /// Trades a refresh token for new tokens.
    ///
    /// - Throws: `IdentityError.unauthenticated`.
    package func refresh(_ refreshToken: String) async throws -> SignedIn {
        guard let token = refreshTokens.read(refreshToken) else { throw IdentityError.unauthenticated }
        let now = currentTime()
        let (session, successor) = try await sessions.refresh(token, at: now)
        return try signedIn(session, successor, at: now)
    }

    /// Whose access token it is, or which bot's token; of people nearly always without IO.
    ///
    /// - Parameters:
    ///   - bearer: the token alone, without its scheme.
    ///   - beforeCheck: is called before a token that was not right before is checked, which costs much; what it throws is
    ///     thrown.
    ///   - beforeQuery: is called before the database is asked for a bot's token that was right before.
    ///   - onForgery: is called where the signature is wrong, or the bot's token is nobody's.
    /// - Throws: `IdentityError.unauthenticated`, `.tokenExpired`.
    package func authenticate(
        bearer: String,
        beforeCheck: () throws -> Void = {},
        beforeQuery: BeforeQuery = { _ in },
        onForgery: () -> Void = {}
    ) async throws -> AuthenticatedUser {
        if let token = ProgramToken(.bot, text: bearer) {
            return try await authenticate(
                token,
                beforeCheck: beforeCheck,
                beforeQuery: beforeQuery,
                onForgery: onForgery
            )
        }
        let now = now()
        let user = try accessTokens.verify(bearer, at: now, beforeCheck: beforeCheck, onForgery: onForgery)
        try await revocations.requireLive(user.sessionID)
        lastSeen.note(user.sessionID, at: now)
        return user
    }

    package func contact(of account: UUID) async throws -> AccountContact? {
        try await accounts.contact(of: account)
    }

    /// The account with exactly this email, in any case, deactivated or not; nil for what is no email.
    package func userID(byEmail email: String) async throws -> UUID? {
        guard let email = try? EmailAddress(email) else { return nil }
        return try await accounts.id(of: email)
    }

    private func account(claimed email: String) async throws -> Account? {
        guard let email = try? EmailAddress(email) else { return nil }
        return try await accounts.find(email: email)
    }

    /// Tells the log of the person. A login repeats what a crash after registering left out.
    func completeProfile(of account: Account) async throws {
        guard let profile = account.pendingProfile else { return }
        try await registerProfile(account.id, profile.displayName)
        try await accounts.markProfileRegistered(account.id)
    }

    func startSession(of account: Account, deviceName: String?, at now: Date) async throws -> SignedIn {
        let started = try await sessions.start(
            for: account.id,
            passwordVersion: account.passwordVersion,
            deviceName: deviceName,
            at: now
        )
        // The password was changed since it was checked.
        guard let (session, token) = started else { throw IdentityError.invalidCredentials }
        return try signedIn(session, token, at: now)
    }

    private func signedIn(_ session: DeviceSession, _ refreshToken: RefreshToken, at now: Date) throws -> SignedIn {
        let access = try accessTokens.issue(for: session.userID, session: session.id, at: now)
        return SignedIn(
            userID: session.userID,
            session: session,
            accessToken: access.token,
            accessTokenExpiresAt: access.expiresAt,
            refreshToken: refreshToken.text
        )
    }

    /// In whole milliseconds, which is what clients are told.
    func currentTime() -> Date {
        Date(timeIntervalSince1970: (now().timeIntervalSince1970 * 1000).rounded(.down) / 1000)
    }
}
