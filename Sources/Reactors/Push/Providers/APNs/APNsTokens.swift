import Crypto
import Foundation
import Synchronization

/// The token that tells Apple who we are: one for all requests.
///
/// Apple takes none that is older than an hour, and complains of a team that makes a new one more often than each 20 minutes.
final class APNsTokens: Sendable {
    /// Apple's hour, and clocks that differ.
    static let lifetime: TimeInterval = 45 * 60
    static let leastAge: TimeInterval = 20 * 60

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
    }

    private struct Issued {
        let token: String
        let at: Date
    }

    private let key: APNsKey
    private let current = Mutex<Issued?>(nil)

    init(_ key: APNsKey) {
        self.key = key
    }

    func token(at now: Date) throws -> String {
        try current.withLock { current in
            if let issued = current, (-60..<Self.lifetime).contains(now.timeIntervalSince(issued.at)) {
                return issued.token
            }
            return try renew(&current, at: now)
        }
    }

    /// Another one for a token that Apple calls expired; nil where it is too young for that: then the clock is wrong.
    func replacement(for token: String, at now: Date) throws -> String? {
        try current.withLock { current in
            if let issued = current {
                if issued.token != token { return issued.token }
                guard now.timeIntervalSince(issued.at) >= Self.leastAge else { return nil }
            }
            return try renew(&current, at: now)
        }
    }

    private func renew(_ current: inout Issued?, at now: Date) throws -> String {
        let token = try JSONWebToken.make(
            JSONWebToken.Header(alg: "ES256", kid: key.id),
            Claims(iss: key.team, iat: now.epochSeconds)
        ) { try key.key.signature(for: $0).rawRepresentation }
        current = Issued(token: token, at: now)
        return token
    }
}
