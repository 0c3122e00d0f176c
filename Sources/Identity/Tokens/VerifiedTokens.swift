import Crypto
import Foundation
import Synchronization

/// Remembers whose token it was that verified, so that a signature is checked once and not with every request.
///
/// Two generations bound it: when the young one is full it becomes the old one, and what was not asked for since goes.
/// Tokens are known by their SHA-256, so that memory holds none.
final class VerifiedTokens: Sendable {
    private let generationLimit: Int
    private let generations = Mutex(Generations())

    private struct Generations {
        var young: [SHA256Digest: AuthenticatedUser] = [:]
        var old: [SHA256Digest: AuthenticatedUser] = [:]

        mutating func insert(_ user: AuthenticatedUser, for token: SHA256Digest, limit: Int) {
            if young.count >= limit {
                old = young
                young = [:]
            }
            young[token] = user
        }
    }

    init(limit: Int) {
        generationLimit = max(1, limit / 2)
    }

    func find(_ token: SHA256Digest) -> AuthenticatedUser? {
        generations.withLock { generations in
            if let user = generations.young[token] { return user }
            guard let user = generations.old[token] else { return nil }
            generations.insert(user, for: token, limit: generationLimit)
            return user
        }
    }

    func insert(_ user: AuthenticatedUser, for token: SHA256Digest) {
        generations.withLock { $0.insert(user, for: token, limit: generationLimit) }
    }
}
