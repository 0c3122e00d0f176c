package import Foundation
import NIOHTTP1
package import Outbound

/// Apple's push notification service, over HTTP/2.
package struct APNsProvider: PushProvider {
    private static let deadline = Duration.seconds(10)
    /// Apple says why in a few words.
    private static let mostAnswer = 4_096

    package let name = PushPlatform.apns.rawValue
    package let watch = CredentialWatch()
    private let tokens: APNsTokens
    private let apps: Set<String>
    private let client: OutboundClient
    private let production: String
    private let sandbox: String

    /// - Parameters:
    ///   - apps: the bundle identifiers that the key is for: people's devices name theirs.
    ///   - base: where the service is, if not at Apple.
    ///   - tokens: those of all processes; nil for one that shares with nobody.
    package init(
        key: APNsKey,
        apps: [String],
        base: URL? = nil,
        sharing tokens: SharedPushTokens? = nil,
        client: OutboundClient
    ) {
        self.tokens = APNsTokens(key, sharing: tokens)
        self.apps = Set(apps)
        self.client = client
        production = base?.withoutSlash ?? "https://api.push.apple.com"
        sandbox = base?.withoutSlash ?? "https://api.sandbox.push.apple.com"
    }

    package func send(_ notification: PushNotification, to address: PushAddress) async -> PushOutcome {
        guard case .apns(let device, let app, let isSandbox) = address else {
            return .rejected(reason: "wrongAddress")
        }
        guard apps.contains(app) else { return .unserved(reason: "unknownApp") }
        guard let url = URL(string: "\(isSandbox ? sandbox : production)/3/device/\(device)"),
            let body = try? APNsPayload.bytes(notification)
        else { return .rejected(reason: "unwritable") }
        let outcome = await ask(
            OutboundRequest(method: .POST, url: url, headers: APNsPayload.headers(notification, app: app), body: body)
        )
        watch.note(outcome)
        return outcome
    }

    private func ask(_ request: OutboundRequest) async -> PushOutcome {
        let end = ContinuousClock.now + Self.deadline
        // The database is away, as a rule.
        guard var token = try? await tokens.token(at: Date()) else { return .retry(after: nil, reason: "noToken") }
        var isSecond = false
        while true {
            var request = request
            request.headers.append(("authorization", "bearer \(token)"))
            do throws(OutboundError) {
                let response = try await client.send(
                    request,
                    within: max(.milliseconds(1), end - ContinuousClock.now),
                    maximumAnswer: Self.mostAnswer
                )
                let answer = APNsAnswer(response)
                guard answer.isTokenExpired, !isSecond,
                    let another = try? await tokens.replacement(for: token, at: Date())
                else { return answer.outcome(at: Date()) }
                (token, isSecond) = (another, true)
            } catch {
                return PushOutcome(error)
            }
        }
    }
}

extension URL {
    var withoutSlash: String { absoluteString.hasSuffix("/") ? String(absoluteString.dropLast()) : absoluteString }
}
