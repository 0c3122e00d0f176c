import Foundation
import Outbound

/// What Apple's service says of a notification.
struct APNsAnswer {
    private struct Body: Decodable {
        var reason: String?
        /// In milliseconds.
        var timestamp: Double?
    }

    private let response: OutboundResponse
    private let body: Body

    init(_ response: OutboundResponse) {
        self.response = response
        body = (try? JSONDecoder().decode(Body.self, from: Data(response.body))) ?? Body()
    }

    var isTokenExpired: Bool { response.status == 403 && body.reason == "ExpiredProviderToken" }

    func outcome(at now: Date) -> PushOutcome {
        let reason = PushReason.word(body.reason)
        let pause = RetryAfter.read(response.headers, at: now)
        switch (response.status, body.reason) {
        case (200, _): return .accepted
        case (410, _):
            return .addressGone(
                reason: reason,
                since: body.timestamp.map { Date(timeIntervalSince1970: $0 / 1_000) }
            )
        case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"): return .addressRefused(reason: reason)
        // The app is one of the configuration.
        case (400, "TopicDisallowed"), (400, "BadTopic"), (401, _), (403, _): return .credentialsRefused(reason: reason)
        case (429, "TooManyProviderTokenUpdates"): return .retry(after: .seconds(20 * 60), reason: reason)
        case (429, _): return .backOffDevice(after: pause ?? .seconds(60), reason: reason)
        case (408, _), (500..., _): return .retry(after: pause, reason: reason)
        default: return .rejected(reason: reason)
        }
    }
}
