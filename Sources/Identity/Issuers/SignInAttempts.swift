import Crypto
package import Foundation
import Postgres

/// The attempts of browsers to sign in: each sealed in a cookie, so that beginning one costs no row, and each counts once.
struct SignInAttempts: Sendable {
    private static let longest = 4_096

    private let pool: PostgresPool
    private let keys: [SymmetricKey]

    init(pool: PostgresPool, masterKeys: MasterKeys) {
        self.pool = pool
        keys = masterKeys.derived(for: "sign-in attempt")
    }

    func seal(_ attempt: SignInAttempt) throws -> Secret {
        let box = try AES.GCM.seal(try JSONEncoder().encode(attempt), using: keys[0])
        // `combined` is nil only for a nonce of another length than the default.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Secret(Base64URL.encode(combined))
    }

    /// nil for what this installation has not sealed, or too long ago.
    func open(_ text: String, at now: Date) -> SignInAttempt? {
        guard text.utf8.count <= Self.longest, let bytes = Base64URL.decode(text[...]),
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let opened = try? keys.firstOpening({ try AES.GCM.open(box, using: $0) }),
            let attempt = try? JSONDecoder().decode(SignInAttempt.self, from: opened), now < attempt.expiresAt
        else { return nil }
        return attempt
    }

    /// Ends an attempt; false where that was done before, by whichever server.
    func end(_ attempt: SignInAttempt) async throws -> Bool {
        let ended = try await pool.execute(
            """
            INSERT INTO parley.ended_attempts (attempt_hash, expires_at)
            VALUES (\(Bytes(Array(SHA256.hash(data: Array(attempt.state.utf8))))), \(attempt.expiresAt))
            ON CONFLICT DO NOTHING
            """
        )
        return ended == 1
    }

    /// Deletes what is over, a bounded number at a time; an hour late, as servers' clocks differ.
    func deleteOver(at now: Date) async throws -> Int {
        try await pool.execute(
            """
            DELETE FROM parley.ended_attempts WHERE attempt_hash IN (
                SELECT attempt_hash FROM parley.ended_attempts
                WHERE expires_at < \(now.addingTimeInterval(-3_600))
                LIMIT 1000)
            """
        )
    }
}

extension Identity {
    /// When an attempt that begins now is over.
    package var attemptExpiry: Date { currentTime().addingTimeInterval(SignInAttempt.lifetime) }

    package func seal(_ attempt: SignInAttempt) throws -> Secret {
        try signInAttempts.seal(attempt)
    }

    /// The attempt that a browser brings back, while it may still be ended.
    package func attempt(sealedAs text: String) -> SignInAttempt? {
        signInAttempts.open(text, at: now())
    }

    /// Ends an attempt; false where that was done before.
    package func end(_ attempt: SignInAttempt) async throws -> Bool {
        try await signInAttempts.end(attempt)
    }
}
