import Foundation
import NIOHTTP1
import Outbound

/// The access token for Google's services: bought once for all requests, and again before it ends.
actor GoogleTokens {
    struct Failure: Error {
        let outcome: PushOutcome
    }

    /// Before its end, so that none ends under way.
    private static let margin: TimeInterval = 300
    private static let time = Duration.seconds(5)

    private struct Answer: Decodable {
        var access_token: String?
        var expires_in: Double?
        var error: String?
    }

    private let account: ServiceAccount
    private let client: OutboundClient
    private var current: (token: String, until: ContinuousClock.Instant)?
    private var isAsking = false
    /// As many as send at once.
    private var waiting: [CheckedContinuation<Result<String, Failure>, Never>] = []

    init(_ account: ServiceAccount, client: OutboundClient) {
        self.account = account
        self.client = client
    }

    func token() async throws(Failure) -> String {
        if let current, current.until > ContinuousClock.now { return current.token }
        if isAsking {
            return try await withCheckedContinuation { waiting.append($0) }.get()
        }
        isAsking = true
        let result = await ask()
        isAsking = false
        if case .success(let (token, lifetime)) = result { current = (token, ContinuousClock.now + lifetime) }
        let answer = result.map { $0.0 }
        for continuation in waiting { continuation.resume(returning: answer) }
        waiting = []
        return try answer.get()
    }

    /// Google does not believe it any more.
    func drop(_ token: String) {
        if current?.token == token { current = nil }
    }

    private func ask() async -> Result<(String, Duration), Failure> {
        let now = Date()
        guard let assertion = try? account.assertion(at: now) else {
            return .failure(Failure(outcome: .credentialsRefused(reason: "unsignable")))
        }
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
        let request = OutboundRequest(
            method: .POST,
            url: account.tokenURL,
            headers: [("content-type", "application/x-www-form-urlencoded")],
            body: Array(form.utf8)
        )
        do throws(OutboundError) {
            let response = try await client.send(request, within: Self.time, maximumAnswer: 65_536)
            return Self.read(response, at: now)
        } catch {
            return .failure(Failure(outcome: PushOutcome(error)))
        }
    }

    private static func read(_ response: OutboundResponse, at now: Date) -> Result<(String, Duration), Failure> {
        let answer = (try? JSONDecoder().decode(Answer.self, from: Data(response.body))) ?? Answer()
        if response.status == 200, let token = answer.access_token, isHeaderValue(token) {
            let lifetime = min(max(answer.expires_in ?? 3_600, 60), 86_400)
            return .success((token, .seconds(max(lifetime / 2, lifetime - margin))))
        }
        switch response.status {
        case 408, 429, 500...:
            let pause = RetryAfter.read(response.headers, at: now)
            return .failure(Failure(outcome: .retry(after: pause, reason: "token\(response.status)")))
        default: return .failure(Failure(outcome: .credentialsRefused(reason: PushReason.word(answer.error))))
        }
    }

    private static func isHeaderValue(_ token: String) -> Bool {
        (1...8_192).contains(token.utf8.count) && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
