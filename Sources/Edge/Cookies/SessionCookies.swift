package import HTTPTypes
package import Hummingbird
package import Identity
package import NIOCore
import ParleyWire

/// Sessions that browsers hold by a cookie: where they are to be had, how they are set, and who holds one.
package struct SessionCookies: Sendable {
    private let rules: EdgeRules

    package init(_ rules: EdgeRules) {
        self.rules = rules
    }

    /// Lets somebody sign in by cookie: over TLS or on this machine, from a page of this server's.
    ///
    /// A page of others that signs people in, to an account of its own, would learn what they write there.
    ///
    /// - Throws: the problem `forbidden`.
    package func admit(_ request: Request, from peer: SocketAddress?) throws(HTTPProblem) {
        guard let place = place(of: request, from: peer) else { throw Self.takesTLS }
        guard !RequestSite.isForeign(request, at: place) else {
            throw HTTPProblem(.forbidden, "Signing in by cookie is for this server's own pages.")
        }
        // A proxy stands between that says nothing of it, and calls the server by a name of this machine.
        let isPageOverTLS = request.headers.single(.origin)?.hasPrefix("https:") == true
        guard place.isOverTLS || rules.cookiesOverHTTP || !isPageOverTLS else { throw Self.takesTLS }
    }

    static let takesTLS = HTTPProblem(
        .forbidden,
        "A session by cookie takes HTTPS. Those who run the server can tell it of their proxy "
            + "(PARLEY_TRUSTED_PROXIES, PARLEY_BEHIND_TLS), or allow plain HTTP (PARLEY_COOKIES_OVER_HTTP)."
    )

    /// The `Set-Cookie` field by which a browser takes its session; nil where ``admit(_:from:)`` would refuse plain HTTP.
    package func setting(_ cookie: SessionCookie, for request: Request, from peer: SocketAddress?) -> HTTPField? {
        place(of: request, from: peer)?.setting(cookie)
    }

    /// The value of the session's cookie that comes with a request, if one does.
    package func value(of request: Request, from peer: SocketAddress?) -> String? {
        cookie(of: request, from: peer)?.value
    }

    func cookie(of request: Request, from peer: SocketAddress?) -> HeldCookie? {
        guard let header = request.headers.single(.cookie), let place = place(of: request, from: peer),
            let value = CookieField.value(of: place.name, in: header)
        else { return nil }
        return HeldCookie(value: value, place: place)
    }

    /// nil where cookies are neither set nor taken: over plain HTTP, but on this machine.
    func place(of request: Request, from peer: SocketAddress?) -> CookiePlace? {
        guard let host = request.head.authority else { return nil }
        let isOverTLS = rules.isOverTLS(request, from: peer)
        let place = CookiePlace(isOverTLS: isOverTLS, origin: Self.origin(isOverTLS: isOverTLS, host))
        if isOverTLS || rules.cookiesOverHTTP || Self.isLoopback(host, request) { return place }
        return nil
    }

    /// As browsers write it: in lower case, and without the port that goes without saying.
    private static func origin(isOverTLS: Bool, _ host: String) -> String {
        let host = host.lowercased()
        let usual = isOverTLS ? ":443" : ":80"
        let name = host.hasSuffix(usual) ? host.dropLast(usual.count) : host[...]
        return "\(isOverTLS ? "https" : "http")://\(name)"
    }

    /// Whether the browser is on the machine that it calls `localhost`, or as near as a container's published port. Proxies may
    /// call the server by such a name, too.
    private static func isLoopback(_ host: String, _ request: Request) -> Bool {
        LoopbackName.isOne(host) && !request.headers.contains { proxyFields.contains($0.name) }
    }

    private static let proxyFields: Set<HTTPField.Name> = [.forwardedFor, .forwardedProto, .forwarded, .via]
}
