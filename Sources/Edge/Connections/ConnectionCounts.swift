import Identity
import Synchronization

/// How many connections are open, in all and from each address.
final class ConnectionCounts: Sendable {
    /// An open connection's place in the counts.
    struct Place {
        fileprivate let network: ClientNetwork?
    }

    private let limits: EdgeLimits
    private let trustedProxies: TrustedProxies
    private let state = Mutex(State())

    /// Bounded by the connections that there are.
    private struct State {
        var total = 0
        var byNetwork: [ClientNetwork: Int] = [:]
    }

    init(limits: EdgeLimits, trustedProxies: TrustedProxies) {
        self.limits = limits
        self.trustedProxies = trustedProxies
        guard limits.recordsConnections else { return }
        ConnectionMetrics.begin()
        ConnectionMetrics.allowed(limits.maxConnections)
        ConnectionMetrics.opened(0)
    }

    /// Counts a connection; nil where it is one too many. Trusted proxies stand for many clients, and have no cap of
    /// their own.
    func open(from address: ClientAddress?) -> Place? {
        let network = address.flatMap { trustedProxies.contains($0) ? nil : $0.network }
        let refusal: ConnectionMetrics.Cap? = state.withLock { state in
            guard state.total < limits.maxConnections else { return .total }
            if let network, let cap = limits.maxConnectionsPerAddress {
                guard state.byNetwork[network, default: 0] < cap else { return .address }
            }
            state.total += 1
            if let network { state.byNetwork[network, default: 0] += 1 }
            if limits.recordsConnections { ConnectionMetrics.opened(state.total) }
            return nil
        }
        if let refusal {
            if limits.recordsConnections { ConnectionMetrics.refused(by: refusal) }
            return nil
        }
        return Place(network: network)
    }

    func close(_ place: Place) {
        state.withLock { state in
            state.total -= 1
            if limits.recordsConnections { ConnectionMetrics.opened(state.total) }
            guard let network = place.network, let count = state.byNetwork[network] else { return }
            state.byNetwork[network] = count > 1 ? count - 1 : nil
        }
    }
}
