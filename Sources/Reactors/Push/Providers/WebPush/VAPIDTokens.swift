import Crypto
import Foundation
import Synchronization

/// Says to push services who sends: a token for each of them, used for an hour.
final class VAPIDTokens: Sendable {
    /// As long as it is used and some more, for clocks that differ; 24 h are the most.
    private static let lifetime: TimeInterval = 12 * 3_600
    private static let use: TimeInterval = 3_600
    private static let limit = 200

    private struct Claims: Encodable {
        let aud: String
        let exp: Int64
        let sub: String
    }

    private struct Issued {
        let header: String
        let at: Date
    }

    private let key: VAPIDKey
    private let subject: String
    private let issued = Mutex<[String: Issued]>([:])

    /// - Parameter subject: where a push service reaches who runs the server: `mailto:` or `https:`.
    init(_ key: VAPIDKey, subject: String) {
        self.key = key
        self.subject = subject
    }

    /// The value of `Authorization` for an endpoint.
    func header(for endpoint: URL, at now: Date) throws -> String {
        let origin = Self.origin(of: endpoint)
        let known = issued.withLock { $0[origin] }
        if let known, (-60..<Self.use).contains(now.timeIntervalSince(known.at)) { return known.header }
        let token = try JSONWebToken.make(
            JSONWebToken.Header(alg: "ES256"),
            Claims(aud: origin, exp: now.epochSeconds + Int64(Self.lifetime), sub: subject)
        ) { try key.key.signature(for: $0).rawRepresentation }
        let header = "vapid t=\(token),k=\(key.publicText)"
        issued.withLock { issued in
            if issued.count >= Self.limit { issued = [:] }
            issued[origin] = Issued(header: header, at: now)
        }
        return header
    }

    /// RFC 6454's, in ASCII.
    static func origin(of url: URL) -> String {
        let scheme = url.scheme?.lowercased() ?? ""
        let usual = ["https": 443, "http": 80][scheme]
        let port = url.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        let host = url.host?.lowercased() ?? ""
        return "\(scheme)://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host)\(port)"
    }
}
