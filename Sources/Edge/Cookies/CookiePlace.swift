import HTTPTypes
import Identity

/// Over what a browser's cookie travels, which says how it is called and kept.
struct CookiePlace: Sendable, Hashable {
    let isOverTLS: Bool
    /// The origin of the pages that this server serves there, as browsers write it.
    let origin: String

    /// Browsers take a name with this prefix over TLS only, from the host itself and for all of it: no neighbour with a
    /// name under the same domain can plant one.
    var name: String { isOverTLS ? "__Host-parley" : "parley" }

    /// The field that sets the cookie.
    func setting(_ cookie: SessionCookie) -> HTTPField {
        field(cookie.value.exposed, maxAge: cookie.lifetime.components.seconds)
    }

    /// The field that takes the cookie away.
    var expiring: HTTPField { field("", maxAge: 0) }

    private func field(_ value: String, maxAge: Int64) -> HTTPField {
        let secure = isOverTLS ? " Secure;" : ""
        let text = "\(name)=\(value); Path=/; HttpOnly;\(secure) SameSite=Strict; Max-Age=\(maxAge)"
        return HTTPField(name: .setCookie, value: text)
    }
}
