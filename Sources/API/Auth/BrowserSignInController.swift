import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import OpenID
import ParleyWire

/// Signing in with an issuer in a browser: the code flow with PKCE, all of it on the server, so that no script of the issuer's
/// runs in our pages and none of ours ever holds a token.
struct BrowserSignInController {
    let issuers: OpenIDIssuers
    let identity: Identity
    let cookies: SessionCookies

    func addRoutes(to group: Routes<EdgeContext>) {
        group.get("auth/oidc/{provider}/start", use: start)
        group.get("auth/oidc/{provider}/callback", use: callback)
    }

    /// Why somebody is back at the page for signing in; in its address, so no more than a word.
    private enum Failure: String, Error {
        /// The person has said no.
        case denied
        /// The attempt is unknown, over, or ended before.
        case expired
        /// The issuer, or its token, is not to be believed.
        case refused
        case unavailable
        case emailUnverified
        /// By an account that has not confirmed it.
        case emailTaken
        /// The account with the address belongs to another subject of the issuer.
        case alreadyLinked
        case deactivated

        init(_ refusal: LinkRefusal) {
            switch refusal {
            case .noVerifiedEmail: self = .emailUnverified
            case .addressUnproved: self = .emailTaken
            case .addressOfAnother: self = .alreadyLinked
            }
        }
    }

    @Sendable private func start(_ request: Request, _ context: EdgeContext) async throws -> Response {
        let issuer = try issuer(context)
        let query = Query(request.uri.query)
        let returnTo = try ReturnPath.read(query)
        let deviceName = try query.text("deviceName", atMost: 100)
        let peer = context.channel.remoteAddress
        let origin = try cookies.origin(of: request, from: peer)
        let redirectURL = issuer.provider.redirectURL ?? origin + issuer.provider.callbackPath
        let secrets = BrowserSecrets.make()
        let address: String
        do {
            address = try await issuer.authorizationURL(secrets, returningTo: redirectURL)
        } catch {
            return back(.unavailable, issuer)
        }
        let attempt = SignInAttempt(
            provider: issuer.provider.id,
            state: secrets.state,
            nonce: secrets.nonce,
            verifier: secrets.verifier,
            redirectURL: redirectURL,
            returnTo: returnTo,
            deviceName: deviceName,
            expiresAt: identity.attemptExpiry
        )
        let lifetime = Duration.seconds(SignInAttempt.lifetime)
        var response = Self.redirect(to: address)
        if let field = cookies.settingAttempt(try identity.seal(attempt), for: lifetime, request, from: peer) {
            response.headers.append(field)
        }
        return response
    }

    @Sendable private func callback(_ request: Request, _ context: EdgeContext) async throws -> Response {
        let issuer = try issuer(context)
        // What cannot be read ends nothing.
        let outcome = try Outcome(Query(request.uri.query))
        let peer = context.channel.remoteAddress
        guard let attempt = try await attempt(outcome.state, of: request, issuer, context) else {
            // The browser may be at another one, begun in another tab: that goes on.
            return back(.expired, issuer)
        }
        var response: Response
        do {
            let signedIn = try await signIn(attempt, outcome, issuer)
            // Whoever was signed in here before has no use for that session.
            if let before = cookies.value(of: request, from: peer) { try await identity.logout(cookie: before) }
            response = Self.redirect(to: attempt.returnTo)
            if let field = cookies.setting(signedIn.cookie, for: request, from: peer) { response.headers.append(field) }
        } catch let failure as Failure {
            response = back(failure, issuer)
        }
        // However it ended, it has ended.
        if let field = cookies.expiringAttempt(request, from: peer) { response.headers.append(field) }
        return response
    }

    /// With what the issuer has sent the browser back.
    private struct Outcome {
        let state: String?
        let code: String?
        let error: String?
        let issuer: String?

        init(_ query: Query) throws(HTTPProblem) {
            state = try query.text("state")
            code = try query.text("code")
            error = try query.text("error")
            issuer = try query.text("iss")
        }
    }

    /// The attempt that the browser has begun, once; nil where it is another one, or there is none any more. Its cookie comes
    /// along from other sites, too: whoever lures somebody to this address meanwhile is refused for not knowing the `state` in
    /// it, and ends nothing.
    private func attempt(
        _ state: String?,
        of request: Request,
        _ issuer: OpenIDIssuer,
        _ context: EdgeContext
    ) async throws -> SignInAttempt? {
        guard let sealed = cookies.attempt(of: request, from: context.channel.remoteAddress),
            let attempt = identity.attempt(sealedAs: sealed), attempt.provider == issuer.provider.id,
            let state, state.utf8.elementsEqual(attempt.state.utf8), try await identity.end(attempt)
        else { return nil }
        return attempt
    }

    private func signIn(
        _ attempt: SignInAttempt,
        _ outcome: Outcome,
        _ issuer: OpenIDIssuer
    ) async throws -> SignedInBrowser {
        if let error = outcome.error {
            throw error.utf8.elementsEqual("access_denied".utf8) ? Failure.denied : Failure.refused
        }
        // An issuer that says who it is has to be the one that was asked (RFC 9207).
        if let named = outcome.issuer, !named.utf8.elementsEqual(issuer.provider.issuer.utf8) {
            throw Failure.refused
        }
        guard let code = outcome.code else { throw Failure.refused }
        let secrets = BrowserSecrets(state: attempt.state, nonce: attempt.nonce, verifier: attempt.verifier)
        do {
            let proved = try await issuer.identity(
                redeeming: Secret(code),
                secrets,
                returnedTo: attempt.redirectURL
            )
            return try await identity.signInBrowser(proved, deviceName: attempt.deviceName).signedIn
        } catch let error as OpenIDError {
            throw error == .unavailable ? Failure.unavailable : Failure.refused
        } catch let refusal as LinkRefusal {
            throw Failure(refusal)
        } catch IdentityError.deactivated {
            throw Failure.deactivated
        }
    }

    private func issuer(_ context: EdgeContext) throws(HTTPProblem) -> OpenIDIssuer {
        guard let issuer = context.text("provider").flatMap({ issuers[$0] }) else { throw .notFound }
        return issuer
    }

    /// To the page for signing in, which says what has failed.
    private func back(_ failure: Failure, _ issuer: OpenIDIssuer) -> Response {
        let name = FormEncoding.encoded(issuer.provider.name)
        return Self.redirect(to: "/sign-in?failed=\(failure.rawValue)&provider=\(name)")
    }

    private static func redirect(to address: String) -> Response {
        Response(status: .seeOther, headers: [.location: address])
    }
}
