package import Foundation
import NIOHTTP1
package import Outbound

/// Sends a message to a webhook's server, once.
package struct WebhookSender: Sendable {
    /// Nothing of an answer is of use but its status.
    private static let maxAnswer = 64 * 1_024

    private let client: OutboundClient
    private let deadline: Duration
    private let now: @Sendable () -> Date

    /// - Parameter deadline: how long a server has for its answer.
    package init(
        client: OutboundClient,
        deadline: Duration = .seconds(15),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.client = client
        self.deadline = deadline
        self.now = now
    }

    func send(_ message: WebhookMessage, to target: WebhookTarget) async -> (result: WebhookResult, milliseconds: Int) {
        let start = ContinuousClock.now
        let request = OutboundRequest(
            method: .POST,
            url: target.url,
            headers: target.headers(of: message.body, id: message.id, at: now()),
            body: message.body
        )
        let result: WebhookResult
        do {
            let answer = try await client.send(request, within: deadline, maximumAnswer: Self.maxAnswer)
            result = .answered(answer.status)
        } catch {
            result = .unanswered(error.kind)
        }
        return (result, Int((ContinuousClock.now - start) / .milliseconds(1)))
    }

    /// Sends a test to a webhook's server, whether or not it is enabled.
    package func test(_ webhook: Webhook) async -> (result: WebhookResult, milliseconds: Int, id: String) {
        let message = WebhookMessage(testAt: now())
        let sent = await send(message, to: webhook.target)
        return (sent.result, sent.milliseconds, message.id)
    }
}
