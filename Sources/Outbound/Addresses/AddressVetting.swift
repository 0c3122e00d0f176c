import NIOCore
import Synchronization

/// Finds the addresses of hosts that may be asked, and remembers them for a short while.
final class AddressVetting: Sendable {
    private static let lifetime = TimeAmount.seconds(30)
    private static let limit = 1_000

    private struct Known {
        let addresses: [IPAddress]
        let until: NIODeadline
    }

    private let resolver: AddressResolver
    private let allowed: AllowedHosts
    private let now: @Sendable () -> NIODeadline
    private let known = Mutex<[String: Known]>([:])

    init(_ allowed: AllowedHosts, _ resolver: AddressResolver, now: @escaping @Sendable () -> NIODeadline) {
        self.allowed = allowed
        self.resolver = resolver
        self.now = now
    }

    /// The addresses to try, the best first; never none.
    func addresses(of target: OutboundTarget, within time: TimeAmount) async throws -> [IPAddress] {
        if let address = target.address { return try vetted([address], of: target.host) }
        let host = target.host.lowercased()
        if let known = known.withLock({ $0[host] }), known.until > now() { return known.addresses }
        let found = try await resolver.lookUp(host, time)
        guard !found.isEmpty else { throw OutboundError(.unresolvable) }
        let addresses = try vetted(found, of: host)
        let until = now() + Self.lifetime
        known.withLock { known in
            if known.count >= Self.limit { known = known.filter { $0.value.until > now() } }
            // Whoever names so many hosts at once has them looked up each time.
            if known.count < Self.limit { known[host] = Known(addresses: addresses, until: until) }
        }
        return addresses
    }

    private func vetted(_ addresses: [IPAddress], of host: String) throws -> [IPAddress] {
        if allowed.allows(host: host) { return addresses }
        let vetted = addresses.filter { $0.isGlobal || allowed.allows($0) }
        guard !vetted.isEmpty else { throw OutboundError(.refusedAddress) }
        return vetted
    }
}
