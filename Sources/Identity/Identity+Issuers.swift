import Foundation
import Postgres

/// Signing in by an issuer's word.
extension Identity {
    /// Signs in whoever the issuer says it is; makes an account for somebody new.
    ///
    /// - Throws: `IdentityError`: `deactivated`, `invalid` for the device's name; `LinkRefusal`.
    package func signIn(
        _ identity: IssuerIdentity,
        deviceName: String?
    ) async throws -> (signedIn: SignedIn, isNewUser: Bool) {
        let deviceName = try checked { () throws(InvalidField) in try DeviceName.check(deviceName) }
        let (account, isNew) = try await account(of: identity)
        return (try await startSession(of: account, deviceName: deviceName, at: currentTime()), isNew)
    }

    /// Signs in, in a browser.
    ///
    /// - Parameter deviceName: one that breaks a rule counts as none: nobody could mend it by then.
    /// - Throws: as ``signIn(_:deviceName:)``.
    package func signInBrowser(
        _ identity: IssuerIdentity,
        deviceName: String?
    ) async throws -> (signedIn: SignedInBrowser, isNewUser: Bool) {
        let deviceName = try? DeviceName.check(deviceName)
        let (account, isNew) = try await account(of: identity)
        return (try await startBrowserSession(of: account, deviceName: deviceName, at: currentTime()), isNew)
    }

    func account(of identity: IssuerIdentity) async throws -> (account: Account, isNew: Bool) {
        let links = AccountLinks(pool: accounts.pool)
        var isNew = false
        // Of several first sign-ins at once, one makes the account and the others find it.
        for attempt in 0..<4 {
            if let id = try await links.account(of: identity), let account = try await accounts.find(id: id) {
                guard !account.isDeactivated else { throw IdentityError.deactivated }
                try await completeProfile(of: account)
                return (account, isNew)
            }
            guard attempt < 3 else { break }
            isNew = try await link(identity) == .made
        }
        throw LinkRefusal.addressOfAnother
    }

    private enum Linking {
        case made, linked, taken
    }

    /// Takes back the account that was made for somebody who has one meanwhile.
    private struct Overtaken: Error {}

    /// By the address, once: afterwards the subject alone counts.
    private func link(_ identity: IssuerIdentity) async throws -> Linking {
        guard let email = identity.email.flatMap({ try? EmailAddress($0) }) else { throw LinkRefusal.noVerifiedEmail }
        let now = currentTime()
        do {
            return try await accounts.pool.withTransaction { connection in
                if let known = try await AccountLinks.lockedAccount(with: email, on: connection) {
                    guard known.isProved else { throw LinkRefusal.addressUnproved }
                    guard try await AccountLinks.add(identity, to: known.id, on: connection) else { return .taken }
                    try await notifyOfLink(known.id, on: connection)
                    return .linked
                }
                let made = try await accounts.insert(
                    email: email,
                    isVerified: true,
                    passwordHash: nil,
                    displayName: identity.displayName.flatMap { try? displayNameRule.check($0) },
                    at: now,
                    on: connection
                )
                guard let made else { return .taken }
                guard try await AccountLinks.add(identity, to: made.id, on: connection) else { throw Overtaken() }
                return .made
            }
        } catch is Overtaken {
            return .taken
        }
    }

    private func notifyOfLink(_ account: UUID, on connection: PostgresConnection) async throws {
        try await outbox.add(
            TimeOrderedID.make(at: now()),
            .accountLinked,
            to: .account(account),
            goodFor: MailLifetimes.notice,
            on: connection
        )
    }
}
