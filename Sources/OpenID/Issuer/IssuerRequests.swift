import Foundation
import Logging
import NIOHTTP1
import Outbound

/// What is asked of an issuer: briefly, and for little.
struct IssuerRequests: Sendable {
    private static let maximumAnswer = 256 * 1_024

    let provider: String
    let client: OutboundClient
    let patience: Duration
    let logger: Logger

    /// A document, and how long the issuer says that it holds.
    ///
    /// - Throws: `unavailable`.
    func document(at url: URL) async throws(OpenIDError) -> (body: [UInt8], lifetime: TimeInterval?) {
        let request = OutboundRequest(method: .GET, url: url, headers: [("Accept", "application/json")])
        let response = try await send(request)
        guard response.status == 200 else { throw failed("status \(response.status)") }
        return (response.body, Self.lifetime(response.headers["cache-control"]))
    }

    /// Trades a code for what the issuer answers.
    ///
    /// - Throws: `badCode` where it refuses, else `unavailable`.
    func redeem(
        _ form: [(name: String, value: String)],
        at url: URL,
        authorization: String?
    ) async throws(OpenIDError) -> [UInt8] {
        var headers = [("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded")]
        if let authorization { headers.append(("Authorization", authorization)) }
        let body = Array(FormEncoding.text(form).utf8)
        let response = try await send(OutboundRequest(method: .POST, url: url, headers: headers, body: body))
        switch response.status {
        case 200: return response.body
        // Also where our own secret is wrong: the log tells.
        case 400, 401, 403:
            logger.notice(
                "An issuer refuses a code",
                metadata: ["provider": "\(provider)", "status": "\(response.status)"]
            )
            throw .badCode
        default: throw failed("status \(response.status)")
        }
    }

    private func send(_ request: OutboundRequest) async throws(OpenIDError) -> OutboundResponse {
        do {
            return try await client.send(request, within: patience, maximumAnswer: Self.maximumAnswer)
        } catch {
            throw failed("\(error)")
        }
    }

    func failed(_ reason: String) -> OpenIDError {
        logger.warning("An issuer is of no use now", metadata: ["provider": "\(provider)", "reason": "\(reason)"])
        return .unavailable
    }

    /// `max-age` of `Cache-Control` (RFC 9111 §5.2.2.1).
    private static func lifetime(_ fields: [String]) -> TimeInterval? {
        let directives = fields.flatMap { $0.split(separator: ",") }.map { $0.filter { $0 != " " }.lowercased() }
        let age = directives.first { $0.hasPrefix("max-age=") }?.dropFirst("max-age=".count)
        return age.flatMap { Int32($0) }.map { TimeInterval($0) }
    }
}
