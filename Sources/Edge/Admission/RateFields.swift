import HTTPTypes
import Identity

/// The `RateLimit-Policy` and `RateLimit` fields of draft-ietf-httpapi-ratelimit-headers-09: lists of policies as
/// structured fields (RFC 9651).
enum RateFields {
    /// Adds the fields for what a request was counted by; none where it was not.
    static func add(_ standings: [RateStanding], to fields: inout HTTPFields) {
        guard !standings.isEmpty else { return }
        let policies = standings.map { standing in
            "\"\(standing.policy.rawValue)\";q=\(standing.limit.quota);w=\(standing.limit.window.wholeSeconds)"
        }
        let left = standings.map { standing in
            "\"\(standing.policy.rawValue)\";r=\(standing.remaining);t=\(standing.untilFull.wholeSeconds)"
        }
        fields.append(HTTPField(name: .rateLimitPolicy, value: policies.joined(separator: ", ")))
        fields.append(HTTPField(name: .rateLimit, value: left.joined(separator: ", ")))
    }
}
