import Crypto
import Foundation

/// Sessions that browsers hold by cookies.
///
/// The secret stays the same for as long as the session lives, and its time begins anew while it is used. No script can read
/// it, so that there is no reuse to detect; a secret that changed with each renewal would sign out whichever tab asked with the
/// one before.
extension Identity {
    /// Makes an account and signs it in, in a browser.
    ///
    /// - Throws: as ``register(_:)``.
    package func registerInBrowser(_ registration: Registration) async throws -> SignedInBrowser {
        let (account, deviceName, now) = try await makeAccount(registration)
        return try await startBrowserSession(of: account, deviceName: deviceName, at: now)
    }

    /// Signs in, in a browser.
    ///
    /// - Throws: as ``login(_:)``.
    package func loginInBrowser(_ login: Login) async throws -> SignedInBrowser {
        let (account, deviceName) = try await checkedAccount(login)
        return try await startBrowserSession(of: account, deviceName: deviceName, at: currentTime())
    }

    /// Signs in whoever has shown to be the account's person, in whatever way.
    ///
    /// - Throws: `IdentityError.invalidCredentials` where the account has changed meanwhile.
    func startBrowserSession(
        of account: Account,
        deviceName: String?,
        at now: Date
    ) async throws -> SignedInBrowser {
        let session = DeviceSession(
            id: TimeOrderedID.make(at: now),
            userID: account.id,
            deviceName: deviceName,
            createdAt: now,
            lastSeenAt: now,
            isBrowser: true
        )
        let token = cookieTokens.make(for: session.id)
        guard
            try await sessions.insert(session, heldBy: token.hash, passwordVersion: account.passwordVersion)
        else { throw IdentityError.invalidCredentials }
        return SignedInBrowser(userID: account.id, session: session, cookie: cookieTokens.cookie(token))
    }

    /// Whose cookie it is; nearly always without IO. Each server asks the database for a session twice in the lifetime of
    /// an access token.
    ///
    /// - Returns: also whether the cookie should be renewed.
    /// - Throws: `IdentityError.unauthenticated`.
    package func authenticate(cookie text: String) async throws -> (user: AuthenticatedUser, isDue: Bool) {
        let now = now()
        guard case .live(let live) = try await finding(of: text, at: now) else { throw IdentityError.unauthenticated }
        try await revocations.requireLive(live.user.sessionID)
        lastSeen.note(live.user.sessionID, at: now)
        return (live.user, cookieTokens.isDue(live.expiresAt, at: now))
    }

    /// Ends a cookie's session, if it lives.
    package func logout(cookie text: String) async throws {
        guard case .live(let live) = try await finding(of: text, at: now()) else { return }
        try await sessions.end(live.user.sessionID)
    }

    private func finding(of text: String, at now: Date) async throws -> CookieFinding {
        let fingerprint = SHA256.hash(of: text)
        if let known = cookieFindings.find(fingerprint), known.holds(at: now) { return known }
        // What is invented costs no query, and need not be remembered.
        guard let token = cookieTokens.read(text) else { return .over }
        let lifetime = configuration.accessTokenLifetime.seconds
        let found = try await sessions.find(token, at: now, lifetime: lifetime)
        cookieFindings.insert(found, for: fingerprint)
        return found
    }

    /// Begins the time of a cookie's session anew, where it is due and nobody else does so at this moment.
    ///
    /// What fails is tried again with a later request: nobody is refused for it.
    ///
    /// - Returns: the cookie with which the browser keeps it as long.
    package func renew(cookie text: String) async -> SessionCookie? {
        let now = currentTime()
        let fingerprint = SHA256.hash(of: text)
        guard let token = cookieTokens.read(text), let before = claimRenewal(fingerprint, at: now) else { return nil }
        do {
            guard try await sessions.extend(token, to: cookieTokens.expiry(of: now), at: now) else { return nil }
            return cookieTokens.cookie(token)
        } catch {
            noteExpiry(before, of: fingerprint)
            return nil
        }
    }

    /// A page asks for many things at once: one of the requests renews.
    private func claimRenewal(_ fingerprint: SHA256Digest, at now: Date) -> Date? {
        let tokens = cookieTokens
        return cookieFindings.update(fingerprint) { finding -> Date? in
            guard case .live(var live) = finding, tokens.isDue(live.expiresAt, at: now) else { return nil }
            let before = live.expiresAt
            live.expiresAt = tokens.expiry(of: now)
            finding = .live(live)
            return before
        } ?? nil
    }

    private func noteExpiry(_ expiry: Date, of fingerprint: SHA256Digest) {
        _ = cookieFindings.update(fingerprint) { finding in
            guard case .live(var live) = finding else { return }
            live.expiresAt = expiry
            finding = .live(live)
        }
    }
}
