import HTTPTypes
import Hummingbird
import Identity

/// Changing the password.
struct PasswordController {
    let identity: Identity

    func addPrivateRoutes(to group: RouterGroup<CallerContext>) {
        group.post("auth/password/change", use: change)
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
