import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ParleyWire

/// Registering, signing in and out.
struct AuthController {
    let identity: Identity
    let profiles: Profiles
    let gate: RateGate

    func addRoutes(to group: Routes<EdgeContext>) {
        group.post("auth/register", use: register)
        group.post("auth/login", use: login)
        group.post("auth/refresh", use: refresh)
    }

    func addPrivateRoutes(to group: Routes<CallerContext>) {
        group.post("auth/logout", use: logout)
    }

    @Sendable private func register(_ request: Request, _ context: EdgeContext) async throws -> Response {
        var fields = try await request.fields()
        let email = fields.text("email", 1...TextRules.maxCredential, required: true)
        let password = fields.text("password", 1...TextRules.maxCredential, required: true)
        let displayName = fields.text("displayName", 0...TextRules.maxCredential)
        let deviceName = fields.text("deviceName", 0...TextRules.maxCredential)
        guard let email, let password, fields.areValid else { throw fields.problem }
        let registration = Registration(
            email: email,
            password: Secret(password),
            displayName: displayName,
            deviceName: deviceName
        )
        return JSONBody.response(try await session(try await identity.register(registration)), status: .created)
    }

    @Sendable private func login(_ request: Request, _ context: EdgeContext) async throws -> Response {
        var fields = try await request.fields()
        let email = fields.text("email", 0...TextRules.maxCredential, required: true)
        let password = fields.text("password", 0...TextRules.maxCredential, required: true)
        let deviceName = fields.text("deviceName", 0...TextRules.maxCredential)
        guard let email, let password, fields.areValid else { throw fields.problem }
        try await gate.pass(.loginAccount, for: .account(claimed: email), noting: context.rates)
        let login = Login(email: email, password: Secret(password), deviceName: deviceName)
        return JSONBody.response(try await session(try await identity.login(login)))
    }

    @Sendable private func refresh(_ request: Request, _ context: EdgeContext) async throws -> Response {
        var fields = try await request.fields()
        let token = fields.text("refreshToken", 0...TextRules.maxCredential, required: true)
        guard let token, fields.areValid else { throw fields.problem }
        return JSONBody.response(try await session(try await identity.refresh(token)))
    }

    @Sendable private func logout(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await identity.logout(context.caller)
        return Response(status: .noContent)
    }

    private func session(_ signedIn: SignedIn) async throws -> ParleyWire.Session {
        let session = signedIn.session
        return ParleyWire.Session(
            user: try await profiles.user(signedIn.userID),
            session: SessionInfo(id: WireID(session.id), deviceName: session.deviceName, createdAt: session.createdAt),
            accessToken: signedIn.accessToken.exposed,
            accessTokenExpiresAt: signedIn.accessTokenExpiresAt,
            refreshToken: signedIn.refreshToken.exposed
        )
    }
}
