/// What a run did.
struct LoadResult: Sendable {
    /// Requests that were answered with success.
    var answered = 0
    /// Other answers, by status.
    var failures: [Int: Int] = [:]
    /// Closed loop: from sending to the answer. Open loop: from the time when it was due.
    var latencies = Latencies()
    /// Seconds to the last answer.
    var answering = 0.0
    /// Seconds until the read models had it, too; the same where nobody asked.
    var projected = 0.0

    /// Seconds of processor time that this program used meanwhile, on the cores that it shares with what it measures.
    var generating = 0.0

    /// Done per second, until it was projected.
    var rate: Double { projected > 0 ? Double(answered) / projected : 0 }

    /// Microseconds of processor time that the load itself cost per request.
    var generatorCost: Double { answered > 0 ? generating / Double(answered) * 1e6 : 0 }

    /// The result, if nothing was refused.
    func checked(_ request: String) throws -> LoadResult {
        guard failures.isEmpty else {
            let counts = failures.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            throw APIFailure.unexpected(request: request, answer: counts.joined(separator: ", "))
        }
        return self
    }
}
