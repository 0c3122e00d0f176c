package import Foundation
import NIOHTTP1
package import Outbound

/// Firebase Cloud Messaging, by its HTTP v1 API.
package struct FCMProvider: PushProvider {
    private static let deadline = Duration.seconds(10)
    private static let mostAnswer = 65_536

    package let name = PushPlatform.fcm.rawValue
    package let watch = CredentialWatch()
    private let tokens: GoogleTokens
    private let url: URL?
    private let client: OutboundClient

    /// - Parameter base: where the service is, if not at Google.
    package init(account: ServiceAccount, base: URL? = nil, client: OutboundClient) {
        tokens = GoogleTokens(account, client: client)
        self.client = client
        let host = base?.withoutSlash ?? "https://fcm.googleapis.com"
        url = URL(string: "\(host)/v1/projects/\(account.project)/messages:send")
    }

    package func send(_ notification: PushNotification, to address: PushAddress) async -> PushOutcome {
        guard case .fcm(let target) = address else { return .rejected(reason: "wrongAddress") }
        guard let url, let body = try? FCMMessage.bytes(notification, to: target, at: Date()) else {
            return .rejected(reason: "unwritable")
        }
        let outcome = await ask(
            OutboundRequest(
                method: .POST,
                url: url,
                headers: [("content-type", "application/json; charset=utf-8")],
                body: body
            )
        )
        // A key that the project lacks is noted as a refusal of ours would be, until something is accepted.
        if case .unserved(let reason) = outcome {
            watch.note(.credentialsRefused(reason: reason))
        } else {
            watch.note(outcome)
        }
        return outcome
    }

    private func ask(_ request: OutboundRequest) async -> PushOutcome {
        let end = ContinuousClock.now + Self.deadline
        var isSecond = false
        while true {
            let token: String
            do throws(GoogleTokens.Failure) {
                token = try await tokens.token()
            } catch {
                return error.outcome
            }
            var request = request
            request.headers.append(("authorization", "Bearer \(token)"))
            do throws(OutboundError) {
                let response = try await client.send(
                    request,
                    within: max(.seconds(1), end - ContinuousClock.now),
                    maximumAnswer: Self.mostAnswer
                )
                let answer = FCMAnswer(response)
                guard answer.isTokenRefused, !isSecond else { return answer.outcome(at: Date()) }
                await tokens.drop(token)
                isSecond = true
            } catch {
                return PushOutcome(error)
            }
        }
    }
}
