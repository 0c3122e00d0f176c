import Edge
import HTTPTypes
import Hummingbird
import Identity
import OpenID
import ParleyWire

/// Signing in by the word of Google and other issuers, for apps that have got an ID token from them.
struct OpenIDController {
    /// What has the groups and pictures of a large company in it still fits, beside what else is in the body.
    private static let longestToken = 14 * 1_024

    let issuers: OpenIDIssuers
    let identity: Identity
    let answers: SessionAnswers

    func addRoutes(to group: Routes<EdgeContext>) {
        group.get("auth/providers", use: list)
        group.post("auth/google") { request, context in try await signIn(request, context, with: "google") }
        group.post("auth/oidc/{provider}") { request, context in
            try await signIn(request, context, with: context.text("provider"))
        }
    }

    @Sendable private func list(_ request: Request, _ context: EdgeContext) async throws -> Response {
        let items = issuers.all.map { SignInProvider(provider: $0.provider.id, name: $0.provider.name) }
        return await Representation(encoding: ListPage(items: items, nextCursor: nil)).response(to: request)
    }

    private func signIn(
        _ request: Request,
        _ context: EdgeContext,
        with provider: String?
    ) async throws -> Response {
        guard let issuer = provider.flatMap({ issuers[$0] }) else { throw HTTPProblem.notFound }
        var fields = try await request.fields()
        let token = fields.text("idToken", 1...Self.longestToken, required: true)
        let nonce = fields.text("nonce", 1...TextRules.maxCredential)
        let displayName = fields.text("displayName", 0...TextRules.maxCredential)
        let deviceName = fields.text("deviceName", 0...TextRules.maxCredential)
        let isBrowser = fields.choice("session", of: SessionChoice.self) == .cookie
        guard let token, fields.areValid else { throw fields.problem }
        if isBrowser { try answers.cookies.admit(request, from: context.channel.remoteAddress) }
        let name = try displayName.map(identity.displayNameRule.check)
        var proved = try await issuer.identity(provedBy: Secret(token), nonce: nonce)
        if let name { proved.displayName = name }
        guard isBrowser else {
            let (signedIn, isNewUser) = try await identity.signIn(proved, deviceName: deviceName)
            return try await answers.answer(signedIn, isNewUser: isNewUser)
        }
        let (signedIn, isNewUser) = try await identity.signInBrowser(proved, deviceName: deviceName)
        return try await answers.answer(signedIn, to: request, context, isNewUser: isNewUser)
    }
}
