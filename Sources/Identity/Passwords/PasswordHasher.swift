import Foundation

/// Hashes and checks passwords on threads of its own, so that a storm of logins takes neither the cooperative pool nor
/// all cores.
final class PasswordHasher: Sendable {
    private let parameters: ScryptParameters
    let threads: WorkerThreads
    /// What is checked where there is no password to check, so that an unknown account costs the same time.
    private let decoy: PasswordHash
    private let decoyPassword: Password

    /// Hashes once, and so takes its time.
    init(_ configuration: IdentityConfiguration) throws {
        guard let parameters = ScryptParameters(log2N: configuration.passwordCost) else {
            throw IdentityStartError.badConfiguration("the password cost is 1 to 20")
        }
        self.parameters = parameters
        threads = WorkerThreads(
            count: configuration.passwordThreads,
            queueLimit: configuration.passwordQueueLimit,
            niceness: configuration.passwordNiceness
        )
        decoyPassword = try Password(choosing: Secret("the password of nobody"))
        decoy = try PasswordHash(decoyPassword, parameters: parameters)
    }

    /// - Throws: `IdentityError.overloaded`.
    func hash(_ password: Password) async throws -> Secret {
        let parameters = parameters
        return try await threads.run { try PasswordHash(password, parameters: parameters).phc }
    }

    /// What a check found.
    enum Outcome: Sendable {
        case wrong
        /// Right; with a new hash to store where the old one was made at another cost.
        case right(replacement: Secret?)
    }

    /// Checks a password, with the same work if there is no password or no stored hash.
    ///
    /// - Throws: `IdentityError.overloaded`.
    func check(_ password: Password?, against stored: Secret?) async throws -> Outcome {
        let parameters = parameters
        let hash = stored.flatMap { PasswordHash(phc: $0.exposed) }
        let decoy = decoy
        let decoyPassword = decoyPassword
        return try await threads.run {
            let matches = try (hash ?? decoy).matches(password ?? decoyPassword)
            guard matches, let password, let hash else {
                // A hash from the time of a lower cost must not answer sooner than an unknown account does.
                for rest in (hash ?? decoy).parameters.rest(upTo: parameters) {
                    _ = try PasswordHash(decoyPassword, parameters: rest)
                }
                return .wrong
            }
            guard hash.parameters != parameters else { return .right(replacement: nil) }
            return .right(replacement: try PasswordHash(password, parameters: parameters).phc)
        }
    }
}
