import Crypto
import Synchronization

/// Remembers what was found out about tokens and cookies, so that it is found out once and not with every request.
///
/// Two generations bound it: when the young one is full it becomes the old one, and what was not asked for since goes.
/// Tokens are known by their SHA-256, so that memory holds none.
final class TokenMemory<Finding: Sendable>: Sendable {
    private let generationLimit: Int
    private let generations = Mutex(Generations())

    private struct Generations {
        var young: [SHA256Digest: Finding] = [:]
        var old: [SHA256Digest: Finding] = [:]

        mutating func insert(_ finding: Finding, for token: SHA256Digest, limit: Int) {
            if young.count >= limit, young[token] == nil {
                old = young
                young = [:]
            }
            young[token] = finding
        }
    }

    init(limit: Int) {
        generationLimit = max(1, limit / 2)
    }

    func find(_ token: SHA256Digest) -> Finding? {
        generations.withLock { generations in
            if let finding = generations.young[token] { return finding }
            guard let finding = generations.old[token] else { return nil }
            generations.insert(finding, for: token, limit: generationLimit)
            return finding
        }
    }

    func insert(_ finding: Finding, for token: SHA256Digest) {
        generations.withLock { $0.insert(finding, for: token, limit: generationLimit) }
    }

    /// Changes what is remembered of a token, for one caller at a time; nil where nothing is.
    func update<Outcome: Sendable>(_ token: SHA256Digest, _ change: (inout Finding) -> Outcome) -> Outcome? {
        generations.withLock { generations in
            guard var finding = generations.young[token] ?? generations.old[token] else { return nil }
            let outcome = change(&finding)
            generations.insert(finding, for: token, limit: generationLimit)
            return outcome
        }
    }
}
