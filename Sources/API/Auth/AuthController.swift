import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ParleyWire

/// Registering, signing in and out.
struct AuthController {
    let identity: Identity
    let answers: SessionAnswers
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
        let isBrowser = fields.choice("session", of: SessionChoice.self) == .cookie
        guard let email, let password, fields.areValid else { throw fields.problem }
        if isBrowser { try answers.cookies.admit(request, from: context.channel.remoteAddress) }
        let registration = Registration(
            email: email,
            password: Secret(password),
            displayName: displayName,
            deviceName: deviceName
        )
        guard isBrowser else { return try await answers.answer(identity.register(registration), status: .created) }
        let signedIn = try await identity.registerInBrowser(registration)
        return try await answers.answer(signedIn, to: request, context, status: .created)
    }

    @Sendable private func login(_ request: Request, _ context: EdgeContext) async throws -> Response {
        var fields = try await request.fields()
        let email = fields.text("email", 0...TextRules.maxCredential, required: true)
        let password = fields.text("password", 0...TextRules.maxCredential, required: true)
        let deviceName = fields.text("deviceName", 0...TextRules.maxCredential)
        let isBrowser = fields.choice("session", of: SessionChoice.self) == .cookie
        guard let email, let password, fields.areValid else { throw fields.problem }
        if isBrowser { try answers.cookies.admit(request, from: context.channel.remoteAddress) }
        try await gate.pass(.loginAccount, for: .account(claimed: email), noting: context.rates)
        let login = Login(email: email, password: Secret(password), deviceName: deviceName)
        guard isBrowser else { return try await answers.answer(identity.login(login)) }
        return try await answers.answer(identity.loginInBrowser(login), to: request, context)
    }

    @Sendable private func refresh(_ request: Request, _ context: EdgeContext) async throws -> Response {
        var fields = try await request.fields()
        let token = fields.text("refreshToken", 0...TextRules.maxCredential, required: true)
        guard let token, fields.areValid else { throw fields.problem }
        return try await answers.answer(identity.refresh(token))
    }

    @Sendable private func logout(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await identity.logout(context.caller)
        return context.signedOut(Response(status: .noContent))
    }
}
