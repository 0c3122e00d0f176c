import Crypto
package import Foundation

/// Whose session it is never changes, and so is remembered where each request asks the database whether it lives.
extension Identity {
    /// Is called before the database is asked whether a session lives, with the account that it is known to be of, so that who
    /// asks too often costs no query; what it throws is thrown.
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
}
