import HTTPTypes
import Hummingbird
import ParleyWire

/// Which web pages of other origins may call (CORS). Never with cookies: `Access-Control-Allow-Credentials` is not sent.
package struct CrossOrigin: Sendable {
    private enum Origins: Sendable {
        case all
        case listed(Set<String>)
    }

    private let origins: Origins

    /// - Parameter origins: exact origins such as `https://app.example.org`, or `*` alone.
    /// - Returns: nil where one of them is no origin as browsers send it, or there is none.
    package init?(_ origins: [String]) {
        if origins == ["*"] {
            self.origins = .all
            return
        }
        guard !origins.isEmpty, origins.allSatisfy(Self.isOrigin) else { return nil }
        self.origins = .listed(Set(origins))
    }

    private static func isOrigin(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasSuffix(":"), parts[0].count > 1, parts[1].isEmpty, !parts[2].isEmpty else {
            return false
        }
        return text.allSatisfy { $0.isASCII && !$0.isUppercase && !$0.isWhitespace && !"*?#@,".contains($0) }
    }

    /// Adds to an answer what lets the page read it; to one for another origin only that answers differ by origin.
    func add(to fields: inout HTTPFields, for request: Request) {
        if case .listed = origins { fields.append(HTTPField(name: .vary, value: "Origin")) }
        guard let origin = request.headers[.origin], let allowed = allowed(origin) else { return }
        fields.append(HTTPField(name: .accessControlAllowOrigin, value: allowed))
        fields.append(Self.exposed)
    }

    /// The answer to a browser's question of what a page may send; nil where this is none, or not for this page or path.
    func preflight(_ request: Request, _ routes: RouteTable) -> Response? {
        guard request.method == .options, request.headers.contains(.accessControlRequestMethod),
            let origin = request.headers[.origin], allowed(origin) != nil,
            let allow = routes.allowed(at: request.uri.path)
        else { return nil }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: allow,
                .accessControlAllowHeaders: Self.sendable,
                .accessControlMaxAge: "600",
            ]
        )
    }

    private func allowed(_ origin: String) -> String? {
        switch origins {
        case .all: "*"
        case .listed(let listed): listed.contains(origin) ? origin : nil
        }
    }

    private static let sendable = [
        "Authorization", "Content-Type", "If-None-Match", "If-Range", "Range", ParleyHeader.idempotencyKey,
        ParleyHeader.lastEventID, ParleyHeader.uploadComplete, ParleyHeader.uploadLength, ParleyHeader.uploadOffset,
        ParleyHeader.waitFor,
    ].joined(separator: ", ")

    private static let exposed = HTTPField(
        name: .accessControlExposeHeaders,
        value: [
            ParleyHeader.position, ParleyHeader.requestID, "Retry-After", "RateLimit", "RateLimit-Policy", "ETag",
            "Accept-Ranges", "Content-Disposition", "Content-Range", "Location", ParleyHeader.uploadComplete,
            ParleyHeader.uploadLength, ParleyHeader.uploadLimit, ParleyHeader.uploadOffset,
        ].joined(separator: ", ")
    )
}
