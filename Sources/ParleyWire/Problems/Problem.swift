/// An error answer: `application/problem+json` (RFC 9457).
public struct Problem: Error, Codable, Hashable, Sendable {
    public static let contentType = "application/problem+json"

    public var type: String
    public var title: String
    public var status: Int
    public var detail: String?
    /// The name to act on; a client may meet one that it does not know (`knownCode`).
    public var code: String
    public var requestId: String?
    public var retryable: Bool
    /// Which fields and parameters are not valid.
    public var errors: [FieldProblem]?

    public init(
        _ code: ProblemCode,
        detail: String? = nil,
        errors: [FieldProblem]? = nil,
        requestId: String? = nil
    ) {
        type = "urn:parley:problem:\(code.rawValue)"
        title = code.title
        status = code.status
        self.detail = detail
        self.code = code.rawValue
        self.requestId = requestId
        retryable = code.isRetryable
        self.errors = errors
    }

    /// nil for a code of a later version: then `status` says what to do.
    public var knownCode: ProblemCode? { ProblemCode(rawValue: code) }
}
