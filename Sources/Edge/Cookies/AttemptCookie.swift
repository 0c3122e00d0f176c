package import HTTPTypes
package import Hummingbird
package import Identity
package import NIOCore

/// The cookie in which a browser keeps its attempt to sign in elsewhere: who ends an attempt is the browser that began it.
///
/// It is `Lax`, since it comes back from another site, by a link alone. The session's own is not: it is set on that way back,
/// and comes along with the requests of the page that is shown then.
extension SessionCookies {
    /// The origin of this server as the browser calls it.
    ///
    /// - Throws: the problem `forbidden` where no cookies are set: over plain HTTP, but on this machine.
    package func origin(of request: Request, from peer: SocketAddress?) throws(HTTPProblem) -> String {
        guard let place = place(of: request, from: peer) else { throw Self.takesTLS }
        return place.origin
    }

    /// The field that sets it; nil where ``origin(of:from:)`` throws.
    package func settingAttempt(
        _ attempt: Secret,
        for lifetime: Duration,
        _ request: Request,
        from peer: SocketAddress?
    ) -> HTTPField? {
        place(of: request, from: peer).map { attemptField($0, attempt.exposed, lifetime.components.seconds) }
    }

    /// The field that takes it away.
    package func expiringAttempt(_ request: Request, from peer: SocketAddress?) -> HTTPField? {
        place(of: request, from: peer).map { attemptField($0, "", 0) }
    }

    /// What comes with a request, if it does.
    package func attempt(of request: Request, from peer: SocketAddress?) -> String? {
        guard let header = request.headers.single(.cookie), let place = place(of: request, from: peer) else {
            return nil
        }
        return CookieField.value(of: attemptName(place), in: header)
    }

    private func attemptName(_ place: CookiePlace) -> String { "\(place.name)-attempt" }

    private func attemptField(_ place: CookiePlace, _ value: String, _ maxAge: Int64) -> HTTPField {
        let secure = place.isOverTLS ? " Secure;" : ""
        let text = "\(attemptName(place))=\(value); Path=/; HttpOnly;\(secure) SameSite=Lax; Max-Age=\(maxAge)"
        return HTTPField(name: .setCookie, value: text)
    }
}
