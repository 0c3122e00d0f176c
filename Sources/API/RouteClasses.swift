import Edge
import HTTPTypes

/// The class of every route there is.
enum RouteClasses {
    /// The class of a route by its pattern, whatever its parameters are called; nil where it was forgotten.
    static func routeClass(of method: HTTPRequest.Method, _ path: String) -> RouteClass? {
        let pattern = path.split(separator: "/").map { $0.hasPrefix("{") ? "*" : $0 }.joined(separator: "/")
        return table["\(method.rawValue) /\(pattern)"]
    }

    private static let table: [String: RouteClass] = [
        "GET /healthz": .operation,
        "GET /readyz": .operation,
        "GET /metrics": .operation,
        "GET /openapi.yaml": .operation,

        "POST /v1/auth/register": .register,
        "POST /v1/auth/login": .login,
        "POST /v1/auth/refresh": .refresh,
        "POST /v1/auth/logout": .signOut,
        "GET /v1/auth/providers": .operation,
        "POST /v1/auth/google": .login,
        "POST /v1/auth/oidc/*": .login,
        "GET /v1/auth/oidc/*/start": .operation,
        "GET /v1/auth/oidc/*/callback": .login,
        "POST /v1/auth/password/forgot": .forgot,
        "POST /v1/auth/password/reset": .reset,
        "POST /v1/auth/password/change": .change,
        "POST /v1/auth/email/verify": .verify,
        "POST /v1/auth/email/resend": .resend,
        "GET /v1/sessions": .read,
        "DELETE /v1/sessions": .signOut,
        "DELETE /v1/sessions/*": .signOut,

        "PUT /v1/devices/*": .command,
        "DELETE /v1/devices/*": .command,
        "GET /v1/devices": .read,

        "GET /v1/server": .read,
        "GET /v1/rate-limits": .free,
        "GET /v1/me": .read,
        "PATCH /v1/me": .command,
        "DELETE /v1/me": .change,
        "PUT /v1/me/presence": .command,
        "PUT /v1/presence/subscriptions": .command,
        "POST /v1/me/export": .export,
        "GET /v1/users": .directory,
        "GET /v1/users/*": .read,

        "GET /v1/conversations": .read,
        "PUT /v1/conversations/*": .command,
        "GET /v1/conversations/*": .read,
        "PATCH /v1/conversations/*": .command,
        "PUT /v1/conversations/direct/*": .command,
        "GET /v1/conversations/*/participants": .read,
        "PUT /v1/conversations/*/participants/*": .command,
        "DELETE /v1/conversations/*/participants/*": .command,
        "POST /v1/conversations/*/join": .command,
        "POST /v1/conversations/*/leave": .command,

        "PATCH /v1/conversations/*/me": .command,
        "DELETE /v1/conversations/*/me": .command,
        "POST /v1/conversations/*/unread": .command,
        "POST /v1/conversations/*/typing": .command,

        "POST /v1/conversations/*/invites": .command,
        "GET /v1/conversations/*/invites": .read,
        "DELETE /v1/conversations/*/invites/*": .command,
        "GET /v1/invites/*": .directory,
        "POST /v1/invites/*/join": .directory,

        "PUT /v1/conversations/*/messages/*": .send,
        "POST /v1/conversations/*/messages": .send,
        "GET /v1/conversations/*/messages": .read,
        "GET /v1/conversations/*/messages/*": .read,
        "GET /v1/conversations/*/messages/*/receipts": .read,
        "PATCH /v1/conversations/*/messages/*": .send,
        "DELETE /v1/conversations/*/messages/*": .command,
        "GET /v1/conversations/*/messages/*/history": .read,
        "PUT /v1/conversations/*/messages/*/reactions/*": .command,
        "DELETE /v1/conversations/*/messages/*/reactions/*": .command,
        "PUT /v1/conversations/*/messages/*/pin": .command,
        "DELETE /v1/conversations/*/messages/*/pin": .command,
        "GET /v1/conversations/*/pins": .read,
        "POST /v1/receipts": .receipts,

        "POST /v1/conversations/*/messages/*/forward": .send,
        "PUT /v1/conversations/*/messages/*/star": .command,
        "DELETE /v1/conversations/*/messages/*/star": .command,
        "GET /v1/starred": .read,

        "GET /v1/scheduled": .read,
        "GET /v1/scheduled/*": .read,
        "PUT /v1/scheduled/*": .send,
        "DELETE /v1/scheduled/*": .command,

        "POST /v1/search": .search,

        "GET /v1/blocks": .read,
        "PUT /v1/blocks/*": .command,
        "DELETE /v1/blocks/*": .command,
        "POST /v1/reports": .report,

        "PUT /v1/attachments/*": .upload,
        "POST /v1/attachments": .upload,
        "PATCH /v1/attachments/*": .upload,
        "DELETE /v1/attachments/*": .upload,
        "GET /v1/attachments/*": .read,
        "GET /v1/attachments/*/content": .download,

        "GET /v1/sync": .sync,
        "GET /v1/stream": .stream,
    ]
}
