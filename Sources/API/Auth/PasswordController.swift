import Edge
import HTTPTypes
import Hummingbird
import Identity

/// Changing the password, or setting a new one when it is forgotten.
struct PasswordController {
    let identity: Identity
    let gate: RateGate

    func addRoutes(to group: Routes<EdgeContext>) {
        group.post("auth/password/forgot", use: forgot)
        group.post("auth/password/reset", use: reset)
    }

    func addPrivateRoutes(to group: Routes<CallerContext>) {
        group.post("auth/password/change", use: change)
    }

    /// The same answer for every address, whether or not it is one, and whether or not anyone has it.
    @Sendable private func forgot(_ request: Request, _ context: EdgeContext) async throws -> Response {
        var fields = try await request.fields()
        let email = fields.text("email", 0...TextRules.maxCredential, required: true)
        guard let email, fields.areValid else { throw fields.problem }
        try await gate.pass(.forgotAccount, for: .account(claimed: email), noting: context.rates)
        try await identity.forgotPassword(email: email)
        return Response(status: .accepted)
    }

    @Sendable private func reset(_ request: Request, _ context: EdgeContext) async throws -> Response {
        var fields = try await request.fields()
        let token = fields.text("token", 0...TextRules.maxCredential, required: true)
        let new = fields.text("newPassword", 0...TextRules.maxCredential, required: true)
        guard let token, let new, fields.areValid else { throw fields.problem }
        try await identity.resetPassword(token: Secret(token), new: Secret(new))
        return Response(status: .noContent)
    }

    @Sendable private func change(_ request: Request, _ context: CallerContext) async throws -> Response {
        var fields = try await request.fields()
        let current = fields.text("currentPassword", 0...TextRules.maxCredential, required: true)
        let new = fields.text("newPassword", 0...TextRules.maxCredential, required: true)
        guard let current, let new, fields.areValid else { throw fields.problem }
        try await identity.changePassword(of: context.caller, current: Secret(current), new: Secret(new))
        return Response(status: .noContent)
    }
}
