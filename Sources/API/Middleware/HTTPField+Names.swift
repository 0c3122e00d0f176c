import HTTPTypes
import ParleyWire

extension HTTPField.Name {
    static let requestID = constant(ParleyHeader.requestID)
    static let parleyPosition = constant(ParleyHeader.position)
    static let parleyWaitFor = constant(ParleyHeader.waitFor)
    static let idempotencyKey = constant(ParleyHeader.idempotencyKey)
    static let rateLimit = constant("RateLimit")
    static let rateLimitPolicy = constant("RateLimit-Policy")
    static let forwardedFor = constant("X-Forwarded-For")
    static let forwardedProto = constant("X-Forwarded-Proto")
    static let referrerPolicy = constant("Referrer-Policy")
    static let frameOptions = constant("X-Frame-Options")

    private static func constant(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else {
            preconditionFailure("the names above are tokens as RFC 9110 has them")
        }
        return field
    }
}
