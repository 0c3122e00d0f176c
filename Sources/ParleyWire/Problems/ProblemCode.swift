/// The codes of the contract's problems.
public enum ProblemCode: String, Codable, Hashable, Sendable, CaseIterable {
    case malformedRequest
    case unauthenticated
    case tokenExpired
    case invalidCredentials
    case forbidden
    case notFound
    case methodNotAllowed
    case idConflict
    case emailTaken
    case payloadTooLarge
    case unsupportedMediaType
    case rangeNotSatisfiable
    case validationFailed
    case rateLimited
    case `internal`
    case overloaded
    case unavailable
    case insufficientStorage

    /// The HTTP status that always goes with the code.
    public var status: Int {
        switch self {
        case .malformedRequest: 400
        case .unauthenticated, .tokenExpired, .invalidCredentials: 401
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .idConflict, .emailTaken: 409
        case .payloadTooLarge: 413
        case .unsupportedMediaType: 415
        case .rangeNotSatisfiable: 416
        case .validationFailed: 422
        case .rateLimited: 429
        case .internal: 500
        case .overloaded, .unavailable: 503
        case .insufficientStorage: 507
        }
    }

    /// A short sentence for people; the same for every problem of this code.
    public var title: String {
        switch self {
        case .malformedRequest: "The request is not well-formed"
        case .unauthenticated: "A valid access token is needed"
        case .tokenExpired: "The access token has expired"
        case .invalidCredentials: "The email or the password is wrong"
        case .forbidden: "You may not do this"
        case .notFound: "Nothing was found here"
        case .methodNotAllowed: "This method is not allowed here"
        case .idConflict: "The id is in use with other content"
        case .emailTaken: "The email belongs to an account"
        case .payloadTooLarge: "The body is too large"
        case .unsupportedMediaType: "The body is of no type that is taken here"
        case .rangeNotSatisfiable: "There is nothing in this range"
        case .validationFailed: "Something in the request is not valid"
        case .rateLimited: "Too many requests"
        case .internal: "Something went wrong on the server"
        case .overloaded: "The server is busy"
        case .unavailable: "The server cannot answer right now"
        case .insufficientStorage: "There is no room for more files"
        }
    }

    /// Whether the same request can succeed later.
    public var isRetryable: Bool {
        switch self {
        case .rateLimited, .internal, .overloaded, .unavailable: true
        case .malformedRequest, .unauthenticated, .tokenExpired, .invalidCredentials, .forbidden, .notFound,
            .methodNotAllowed, .idConflict, .emailTaken, .payloadTooLarge, .unsupportedMediaType, .rangeNotSatisfiable,
            .validationFailed, .insufficientStorage:
            false
        }
    }
}
