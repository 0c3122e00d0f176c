package import HTTPTypes
import ParleyWire

extension HTTPField.Name {
    package static let requestID = constant(ParleyHeader.requestID)
    package static let parleyPosition = constant(ParleyHeader.position)
    package static let parleyWaitFor = constant(ParleyHeader.waitFor)
    package static let idempotencyKey = constant(ParleyHeader.idempotencyKey)
    package static let uploadOffset = constant(ParleyHeader.uploadOffset)
    package static let uploadComplete = constant(ParleyHeader.uploadComplete)
    package static let uploadLength = constant(ParleyHeader.uploadLength)
    package static let uploadLimit = constant(ParleyHeader.uploadLimit)
    package static let rateLimit = constant("RateLimit")
    package static let rateLimitPolicy = constant("RateLimit-Policy")
    package static let forwardedFor = constant("X-Forwarded-For")
    package static let forwardedProto = constant("X-Forwarded-Proto")
    package static let forwarded = constant("Forwarded")
    package static let secFetchSite = constant("Sec-Fetch-Site")
    package static let clearSiteData = constant("Clear-Site-Data")
    package static let referrerPolicy = constant("Referrer-Policy")
    package static let frameOptions = constant("X-Frame-Options")

    private static func constant(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else {
            preconditionFailure("the names above are tokens as RFC 9110 has them")
        }
        return field
    }
}
