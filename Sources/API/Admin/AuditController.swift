import Edge
import Foundation
import Hummingbird
import Identity
import ParleyWire

/// `GET /admin/v1/audit`: what operators did, the newest first.
struct AuditController {
    let audit: AuditLog
    let limits: ServerLimits

    func addRoutes(to admin: Routes<OperatorContext>) {
        admin.get("audit", use: list)
    }

    @Sendable private func list(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let page = try NumberedPage(request, limits)
        let acts = try await audit.page(before: page.before, limit: page.reads).map { ListedAct($0) }
        return page.response(acts, number: \.number)
    }
}
