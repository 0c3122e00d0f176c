package import HTTPTypes
package import ParleyWire

/// Why a request is refused, as the client is told: thrown anywhere below the edge, rendered there once.
///
/// What it carries goes to the client as it is, so it never holds what a caller may not know.
package struct HTTPProblem: Error, Sendable {
    package let code: ProblemCode
    /// One sentence for a developer's eyes.
    package let detail: String
    /// What is wrong with the request, place by place; empty unless the code is `validationFailed`.
    package let errors: [FieldProblem]
    /// Headers that belong to the answer, such as `Allow`.
    package let headers: HTTPFields
    /// Whether it is the client's business alone: then the log has it for those who debug.
    package let isClients: Bool

    package init(
        _ code: ProblemCode,
        _ detail: String,
        errors: [FieldProblem] = [],
        headers: HTTPFields = [:],
        isClients: Bool = false
    ) {
        self.code = code
        self.detail = detail
        self.errors = errors
        self.headers = headers
        self.isClients = isClients
    }
}

extension HTTPProblem {
    /// There is no such thing, or none that the caller may know of: the same words for both.
    package static let notFound = HTTPProblem(.notFound, "There is nothing here, or nothing that you may see.")

    package static func malformed(_ detail: String) -> HTTPProblem {
        HTTPProblem(.malformedRequest, detail)
    }

    package static func unauthenticated(_ detail: String) -> HTTPProblem {
        HTTPProblem(.unauthenticated, detail)
    }

    package static func invalid(_ errors: [FieldProblem]) -> HTTPProblem {
        HTTPProblem(.validationFailed, "The request is not valid: see errors.", errors: errors)
    }

    /// A field of the body is wrong; `pointer` is a JSON Pointer (RFC 6901).
    package static func invalid(pointer: String, _ code: FieldProblemCode, _ message: String) -> HTTPProblem {
        invalid([FieldProblem(pointer: pointer, code: code, message: message)])
    }

    /// A parameter of the query or the path, or a header, is wrong.
    package static func invalid(parameter: String, _ code: FieldProblemCode, _ message: String) -> HTTPProblem {
        invalid([FieldProblem(parameter: parameter, code: code, message: message)])
    }
}
