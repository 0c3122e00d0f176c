import HTTPTypes
import Hummingbird
import Identity

/// Finds out who asks, by the access token of the `Authorization` header.
struct Authentication: RouterMiddleware {
    typealias Context = EdgeContext

    let identity: Identity

    @concurrent func handle(
        _ request: Request,
        context: EdgeContext,
        next: @concurrent (Request, EdgeContext) async throws -> Response
    ) async throws -> Response {
        guard let token = Self.bearerToken(request.headers.single(.authorization)) else {
            throw HTTPProblem.unauthenticated("An access token is needed: Authorization: Bearer <accessToken>.")
        }
        var context = context
        context.caller = try await identity.authenticate(bearer: token)
        return try await next(request, context)
    }

    /// The token of a header such as `Bearer abc`; the scheme's case does not matter (RFC 9110 §11.1).
    static func bearerToken(_ header: String?) -> String? {
        guard let header else { return nil }
        // As nearly everybody writes it.
        if header.utf8.starts(with: usualScheme) { return String(header.utf8.dropFirst(usualScheme.count)) }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    private static let usualScheme = Array("Bearer ".utf8)
}
