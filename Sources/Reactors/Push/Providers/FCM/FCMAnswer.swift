import Foundation
import Outbound

/// What Firebase Cloud Messaging says of a message.
struct FCMAnswer {
    private struct Body: Decodable {
        var error: Problem?
    }

    private struct Problem: Decodable {
        var status: String?
        var details: [Detail]?
    }

    private struct Detail: Decodable {
        /// Of an `FcmError`.
        var errorCode: String?
        /// Of a `BadRequest`.
        var fieldViolations: [Violation]?
    }

    private struct Violation: Decodable {
        var field: String?
    }

    private let response: OutboundResponse
    private let status: String?
    /// Google's own word for what is wrong with a message.
    private let code: String?
    private let fields: [String]

    init(_ response: OutboundResponse) {
        self.response = response
        let error = (try? JSONDecoder().decode(Body.self, from: Data(response.body)))?.error
        status = error?.status
        code = error?.details?.compactMap(\.errorCode).first
        fields = (error?.details ?? []).flatMap { $0.fieldViolations ?? [] }.compactMap(\.field)
    }

    /// Google believes the access token no more, as it does when it has ended.
    var isTokenRefused: Bool { response.status == 401 && code != "THIRD_PARTY_AUTH_ERROR" }

    func outcome(at now: Date) -> PushOutcome {
        let reason = PushReason.word(code ?? status)
        let pause = RetryAfter.read(response.headers, at: now)
        switch (response.status, code) {
        case (200, _): return .accepted
        case (404, "UNREGISTERED"): return .addressGone(reason: reason, since: nil)
        case (400, "INVALID_ARGUMENT"):
            return namesAddress ? .addressRefused(reason: reason) : .rejected(reason: reason)
        case (403, "SENDER_ID_MISMATCH"): return .addressRefused(reason: reason)
        // The project's key for Apple's or browsers' services is wrong or missing: Android's devices need none.
        case (401, "THIRD_PARTY_AUTH_ERROR"): return .unserved(reason: reason)
        // A project that there is not, or that is not ours.
        case (401, _), (403, _), (404, _): return .credentialsRefused(reason: reason)
        case (429, _): return .retry(after: pause ?? .seconds(60), reason: reason)
        case (408, _), (500..., _): return .retry(after: pause, reason: reason)
        default: return .rejected(reason: reason)
        }
    }

    /// Whether it is the address that is wrong, and not what we wrote.
    private var namesAddress: Bool {
        fields.isEmpty || fields.contains { ["message.token", "message.fid"].contains($0) }
    }
}
