import Edge
import HTTPTypes
import Hummingbird
import Identity

/// Proving that an email address is one's own.
struct EmailController {
    let identity: Identity

    /// Without an access token: the mail may be read where nobody is signed in, and its token says enough.
    func addRoutes(to group: Routes<EdgeContext>) {
        group.post("auth/email/verify", use: verify)
    }

    func addPrivateRoutes(to group: Routes<CallerContext>) {
        group.post("auth/email/resend", use: resend)
    }

    @Sendable private func verify(_ request: Request, _ context: EdgeContext) async throws -> Response {
        var fields = try await request.fields()
        let token = fields.text("token", 0...TextRules.maxCredential, required: true)
        guard let token, fields.areValid else { throw fields.problem }
        try await identity.verifyEmail(token: Secret(token))
        return Response(status: .noContent)
    }

    @Sendable private func resend(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await identity.resendVerification(to: context.caller)
        return Response(status: .accepted)
    }
}
