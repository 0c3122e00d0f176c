import HTTPTypes
import Hummingbird

/// From which page a browser's request comes. Browsers say it themselves, and no page can make them say something else.
enum RequestSite {
    /// Whether a page of this server's own has sent it.
    ///
    /// Old browsers, and all on pages without TLS, send no `Sec-Fetch-Site`: then the origin has to be this server's.
    static func isOwn(_ request: Request, at place: CookiePlace) -> Bool {
        if let site = request.headers.single(.secFetchSite) { return site == sameOrigin }
        return request.headers.single(.origin) == place.origin
    }

    /// Whether a page of another server's has sent it, as far as that is said.
    static func isForeign(_ request: Request, at place: CookiePlace) -> Bool {
        if let site = request.headers.single(.secFetchSite) { return site != sameOrigin }
        return request.headers.single(.origin).map { $0 != place.origin } ?? false
    }

    /// Whether what is read may be told. Beside own pages, people themselves ask, by an address that they have typed or a
    /// bookmark. The cookie's being `Strict` keeps it from other sites, but not from other hosts under the same domain.
    static func mayRead(_ request: Request) -> Bool {
        request.headers.single(.secFetchSite).map { $0 == sameOrigin || $0 == byPerson } ?? true
    }

    private static let sameOrigin = "same-origin"
    private static let byPerson = "none"
}
