import Crypto
import Foundation

/// The token that tells Apple who we are: one for all requests of all processes.
///
/// Apple takes none that is older than an hour, and complains of a team that makes a new one more often than each 20 minutes.
/// So a process that starts takes the one that the others use, or that it used before.
actor APNsTokens {
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

        func isFresh(at now: Date) -> Bool { (-60..<APNsTokens.lifetime).contains(now.timeIntervalSince(at)) }
    }

    private let key: APNsKey
    private let id: UUID
    private let shared: SharedPushTokens?
    private var current: Issued?
    private var isAsking = false
    /// As many as send at once.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter shared: nil for a process that shares with nobody.
    init(_ key: APNsKey, sharing shared: SharedPushTokens? = nil) {
        self.key = key
        self.shared = shared
        // Of all that a token is made of: those of another key are none of ours.
        var hash = SHA256()
        hash.update(data: Data("apns \(key.team) \(key.id) ".utf8))
        hash.update(data: key.key.publicKey.x963Representation)
        id = UUID(hash.finalize())
    }

    func token(at now: Date) async throws -> String {
        if let current, current.isFresh(at: now) { return current.token }
        await begin()
        defer { end() }
        if let current, current.isFresh(at: now) { return current.token }
        let known = try await known()
        if let token = known?.token, let at = known?.at {
            let issued = Issued(token: token, at: at)
            if issued.isFresh(at: now) { return keep(issued) }
        }
        return try await renew(after: known?.at, at: now)
    }

    /// Another one for a token that Apple calls expired; nil where it is too young for that: then the clock is wrong.
    func replacement(for token: String, at now: Date) async throws -> String? {
        await begin()
        defer { end() }
        if let current, current.token != token { return current.token }
        let known = try await known()
        if let known {
            if let other = known.token, other != token { return keep(Issued(token: other, at: known.at)) }
            guard now.timeIntervalSince(known.at) >= Self.leastAge else { return nil }
        }
        return try await renew(after: known?.at, at: now)
    }

    // MARK: One at a time

    private func begin() async {
        while isAsking { await withCheckedContinuation { waiting.append($0) } }
        isAsking = true
    }

    private func end() {
        isAsking = false
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    private func known() async throws -> (token: String?, at: Date)? {
        if let shared { return try await shared.read(id) }
        guard let current else { return nil }
        return (current.token, current.at)
    }

    private func keep(_ issued: Issued) -> String {
        current = issued
        return issued.token
    }

    private func renew(after former: Date?, at now: Date) async throws -> String {
        let token = try JSONWebToken.make(
            JSONWebToken.Header(alg: "ES256", kid: key.id),
            Claims(iss: key.team, iat: now.epochSeconds)
        ) { try key.key.signature(for: $0).rawRepresentation }
        let issued = Issued(token: token, at: Date(timeIntervalSince1970: Double(now.epochSeconds)))
        if let shared, try await !shared.replace(id, madeAt: former, by: token, at: issued.at) {
            // Another process was faster: what it has made is everybody's.
            guard let other = try await shared.read(id), let token = other.token else {
                throw PushCredentialError("is sealed under a key that is gone")
            }
            return keep(Issued(token: token, at: other.at))
        }
        PushMetrics.madeToken(.apns)
        return keep(issued)
    }
}
