import Foundation
import HTTPTypes
import NIOCore
import ParleyWire

/// How a problem looks on the wire: `application/problem+json`.
struct ProblemDocument {
    var head: HTTPResponse
    let body: ByteBuffer

    init(_ problem: HTTPProblem, requestID: String) {
        body = JSONBody.encode(
            Problem(
                problem.code,
                detail: problem.detail,
                errors: problem.errors.isEmpty ? nil : problem.errors,
                requestId: requestID
            )
        )
        var headers = problem.headers
        headers[.contentType] = Problem.contentType
        headers[.contentLength] = String(body.readableBytes)
        headers[.requestID] = requestID
        switch problem.code.status {
        case 401: headers[.wwwAuthenticate] = Self.challenge(problem.code)
        case 429, 503: headers[.retryAfter] = headers[.retryAfter] ?? "1"
        default: break
        }
        head = HTTPResponse(status: HTTPResponse.Status(code: problem.code.status), headerFields: headers)
    }

    /// RFC 6750 §3 names an error only where a token was shown.
    private static func challenge(_ code: ProblemCode) -> String {
        code == .tokenExpired ? #"Bearer realm="parley", error="invalid_token""# : #"Bearer realm="parley""#
    }
}
