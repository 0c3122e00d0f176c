import Foundation
import ParleyWire

/// A person with a session: registers once, and keeps the access token fresh.
actor Account {
    nonisolated let client: APIClient
    private let credentials: Credentials
    private var session: Session?
    private var renewal: Task<Session, any Error>?

    struct Credentials: Sendable, Equatable {
        let email: String
        let password: String
        let displayName: String
    }

    init(client: APIClient, credentials: Credentials) {
        self.client = client
        self.credentials = credentials
    }

    /// What signs this person in.
    nonisolated var loginRequest: LoginRequest {
        LoginRequest(email: credentials.email, password: credentials.password, deviceName: "parley-load")
    }

    /// The id of the person; known once registered.
    var userID: WireID? { session?.user.id }

    /// Makes the account, or signs in where an earlier run has made it.
    ///
    /// - Returns: Whether the account is new.
    func register(knownToExist: Bool) async throws -> Bool {
        if !knownToExist {
            let body = RegisterRequest(
                email: credentials.email,
                password: credentials.password,
                displayName: credentials.displayName,
                deviceName: "parley-load"
            )
            let answer = try await client.send(.post("/v1/auth/register", body))
            if answer.status == 201 {
                session = try answer.decode(Session.self)
                return answer.attempts == 1
            }
            guard answer.problem?.knownCode == .emailTaken else {
                throw APIFailure.unexpected(request: "register", answer: answer.summary)
            }
        }
        session = try await login()
        return false
    }

    /// Sends a request as this person.
    func send(_ request: APIRequest) async throws -> APIAnswer {
        let token = try await accessToken()
        let answer = try await client.send(request, token: token)
        guard answer.status == 401 else { return answer }
        return try await client.send(request, token: try await accessToken(insteadOf: token))
    }

    /// Sends a request that has to succeed.
    @discardableResult
    func perform(_ what: String, _ request: APIRequest) async throws -> APIAnswer {
        let answer = try await send(request)
        guard answer.isSuccess else { throw APIFailure.unexpected(request: what, answer: answer.summary) }
        return answer
    }

    /// A token that is good for a while, and not the one that was just refused.
    func accessToken(insteadOf refused: String? = nil, goodFor time: Duration = .seconds(20)) async throws -> String {
        if let session, session.accessToken != refused,
            session.accessTokenExpiresAt.timeIntervalSinceNow > time.seconds
        {
            return session.accessToken
        }
        let task = renewal ?? Task { try await renew() }
        renewal = task
        defer { renewal = nil }
        let fresh = try await task.value
        session = fresh
        return fresh.accessToken
    }

    private func renew() async throws -> Session {
        if let token = session?.refreshToken {
            let answer = try await client.send(.post("/v1/auth/refresh", RefreshRequest(refreshToken: token)))
            if answer.status == 200 { return try answer.decode(Session.self) }
        }
        return try await login()
    }

    private func login() async throws -> Session {
        let answer = try await client.send(.post("/v1/auth/login", loginRequest))
        guard answer.status == 200 else {
            throw APIFailure.unexpected(request: "login", answer: answer.summary)
        }
        return try answer.decode(Session.self)
    }
}
