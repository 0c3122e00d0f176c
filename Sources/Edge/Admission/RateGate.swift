import HTTPTypes
import Hummingbird
package import Identity
import ParleyWire

/// Lets requests through as the limits allow.
package struct RateGate: Sendable {
    let limiter: RateLimiter
    let trustedProxies: TrustedProxies
    private let metrics = RateMetrics()

    package init(limiter: RateLimiter, trustedProxies: TrustedProxies) {
        self.limiter = limiter
        self.trustedProxies = trustedProxies
    }

    /// Counts a request, and notes for the answer's headers how the bucket stands.
    ///
    /// - Throws: the problem `rateLimited`; a database error where the policy is counted in the database.
    package func pass(_ policy: RatePolicy, for subject: RateSubject, noting notes: RateNotes) async throws {
        guard let standing = try await limiter.take(policy, for: subject) else { return }
        notes.add(standing)
        guard let wait = standing.wait else { return }
        metrics.refused(policy)
        throw HTTPProblem.rateLimited(policy, after: wait)
    }

    /// Refuses what ``pass(_:for:noting:)`` would refuse of what is counted in memory, and counts nothing.
    func requireRoom(_ policy: RatePolicy, for subject: RateSubject, noting notes: RateNotes) async throws {
        guard limiter.wait(policy, for: subject) != nil else { return }
        try await pass(policy, for: subject, noting: notes)
    }

    /// - Throws: the problem `rateLimited` where too many forged tokens came from there.
    func requireTrust(in network: ClientNetwork) throws {
        guard let wait = limiter.wait(.forgedToken, for: .network(network)) else { return }
        metrics.refused(.forgedToken)
        throw HTTPProblem.rateLimited(.forgedToken, after: wait)
    }

    func noteForgery(from network: ClientNetwork) {
        limiter.note(.forgedToken, for: .network(network))
    }

    /// Tells the metrics how many buckets are held.
    package func recordBuckets() {
        metrics.record(limiter)
    }

    /// Where a request comes from, as far as that can be believed.
    func network(of request: Request, _ context: EdgeContext) -> ClientNetwork {
        guard let peer = ClientAddress(context.channel.remoteAddress) else { return ClientNetwork(ipv4: 0) }
        guard !trustedProxies.isEmpty else { return peer.network }
        return trustedProxies.client(of: peer, forwarded: request.headers[values: .forwardedFor]).network
    }
}

extension HTTPProblem {
    static func rateLimited(_ policy: RatePolicy, after wait: Duration) -> HTTPProblem {
        let seconds = max(1, wait.wholeSeconds)
        return HTTPProblem(
            .rateLimited,
            "More requests than the limit \"\(policy.rawValue)\" allows: try again in \(seconds) s.",
            headers: [.retryAfter: String(seconds)]
        )
    }
}
