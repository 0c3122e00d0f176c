import HTTPTypes
import Hummingbird
import NIOCore

extension EdgeRules {
    /// Whether the client came over TLS, as those who run the server or a proxy that they trust say.
    func isOverTLS(_ request: Request, from peer: SocketAddress?) -> Bool {
        if isBehindTLS { return true }
        guard !trustedProxies.isEmpty, let scheme = request.headers[values: .forwardedProto].last,
            let peer = ClientAddress(peer), trustedProxies.contains(peer)
        else { return false }
        return scheme.split(separator: ",").last?.filter { $0 != " " }.lowercased() == "https"
    }
}
