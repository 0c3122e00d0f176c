import Edge
import HTTPTypes
import Hummingbird
import Identity
import ParleyWire

/// The answer to who has signed in: tokens for apps; for browsers a cookie, so that no script ever holds a token.
struct SessionAnswers {
    let identity: Identity
    let profiles: Profiles
    let cookies: SessionCookies

    /// - Parameter isNewUser: whether the account has begun with it, where that is to be told.
    func answer(
        _ signedIn: SignedIn,
        status: HTTPResponse.Status = .ok,
        isNewUser: Bool? = nil
    ) async throws -> Response {
        let session = Session(
            user: try await profiles.user(signedIn.userID),
            session: SessionInfo(signedIn.session),
            accessToken: signedIn.accessToken.exposed,
            accessTokenExpiresAt: signedIn.accessTokenExpiresAt,
            refreshToken: signedIn.refreshToken.exposed
        )
        return JSONBody.response(SessionBody(session: session, isNewUser: isNewUser), status: status)
    }

    /// Ends the session that the request's cookie is of, too: whoever signs in again has no use for it, and the browser forgets
    /// its cookie.
    func answer(
        _ signedIn: SignedInBrowser,
        to request: Request,
        _ context: EdgeContext,
        status: HTTPResponse.Status = .ok,
        isNewUser: Bool? = nil
    ) async throws -> Response {
        let peer = context.channel.remoteAddress
        if let before = cookies.value(of: request, from: peer) { try await identity.logout(cookie: before) }
        let session = CookieSession(
            user: try await profiles.user(signedIn.userID),
            session: SessionInfo(signedIn.session)
        )
        var response = JSONBody.response(SessionBody(session: session, isNewUser: isNewUser), status: status)
        if let field = cookies.setting(signedIn.cookie, for: request, from: peer) {
            response.headers.append(field)
        }
        return response
    }
}

extension SessionInfo {
    init(_ session: DeviceSession) {
        self.init(id: WireID(session.id), deviceName: session.deviceName, createdAt: session.createdAt)
    }
}
