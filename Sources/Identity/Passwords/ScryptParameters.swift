/// How costly scrypt is (RFC 7914): N = 2^log2N, block size r, parallelism p. Memory is 128·N·r bytes.
struct ScryptParameters: Hashable, Sendable {
    let log2N: Int
    let blockSize: Int
    let parallelism: Int

    /// Nil beyond what this program ever computes: a hash with absurd parameters must not take the machine down.
    init?(log2N: Int, blockSize: Int = 8, parallelism: Int = 3) {
        guard (1...20).contains(log2N), (1...32).contains(blockSize), (1...16).contains(parallelism) else { return nil }
        self.log2N = log2N
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// Costs whose work, added to that of this one, is the work of `goal`: each step of N doubles it.
    func rest(upTo goal: ScryptParameters) -> [ScryptParameters] {
        guard log2N < goal.log2N else { return [] }
        return (log2N..<goal.log2N).compactMap {
            ScryptParameters(log2N: $0, blockSize: goal.blockSize, parallelism: goal.parallelism)
        }
    }
}
