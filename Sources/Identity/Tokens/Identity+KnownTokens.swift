import Crypto
package import Foundation

/// What is remembered of tokens and sessions for which the database is asked each time: whose they are, which never changes.
extension Identity {
    /// Is called before the database is asked, with the account that a token or session is known to be of, so that who asks too
    /// often costs no query; what it throws is thrown.
    package typealias BeforeQuery = (_ account: UUID) async throws -> Void

    func requireLeave(toAskFor session: UUID, _ beforeQuery: BeforeQuery) async throws {
        guard let account = sessionAccounts.find(Self.fingerprint(of: session)) else { return }
        try await beforeQuery(account)
    }

    func noteAccount(_ account: UUID, of session: UUID) {
        sessionAccounts.insert(account, for: Self.fingerprint(of: session))
    }

    private static func fingerprint(of session: UUID) -> SHA256Digest {
        SHA256.hash(data: session.bytes)
    }

    /// Whose token it is that a program brings.
    ///
    /// - Parameters:
    ///   - beforeCheck: is called where it was not right before; what it throws is thrown.
    ///   - onForgery: is called where it is nobody's, or nobody's any more.
    ///   - ask: asks the database.
    /// - Throws: `IdentityError.unauthenticated`.
    func holder<Holder>(
        of token: ProgramToken,
        id: (Holder) -> UUID,
        beforeCheck: () throws -> Void,
        beforeQuery: BeforeQuery,
        onForgery: () -> Void,
        _ ask: () async throws -> Holder?
    ) async throws -> Holder {
        let fingerprint = token.fingerprint
        let known: UUID? = knownPrograms.find(fingerprint) ?? nil
        if let known { try await beforeQuery(known) } else { try beforeCheck() }
        guard let holder = try await ask() else {
            if known != nil { knownPrograms.insert(nil, for: fingerprint) }
            onForgery()
            throw IdentityError.unauthenticated
        }
        if known == nil { knownPrograms.insert(id(holder), for: fingerprint) }
        return holder
    }
}
