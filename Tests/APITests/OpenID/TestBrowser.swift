import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Edge

/// A browser that signs in with a test's issuer: it keeps cookies, and follows where it is sent by hand.
final class TestBrowser {
    let server: TestServer
    private(set) var cookies: [String: String] = [:]
    /// As they came, the newest answer's.
    private(set) var settings: [String] = []

    init(_ server: TestServer, sharing other: TestBrowser? = nil) {
        self.server = server
        cookies = other?.cookies ?? [:]
    }

    func get(_ path: String) async throws -> Answer {
        var headers: HTTPFields = [:]
        if !cookies.isEmpty { headers[.cookie] = cookies.map { "\($0)=\($1)" }.joined(separator: "; ") }
        let answer = try await server.send(.get, path, headers: headers)
        settings = answer.headers[values: .setCookie]
        for setting in settings {
            let pair = setting.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            guard let name = pair.first else { continue }
            cookies[name] = setting.contains("Max-Age=0") ? nil : pair.last
        }
        return answer
    }

    /// Begins to sign in; gives what the issuer is asked with.
    func start(_ query: String = "") async throws -> [String: String] {
        let answer = try await get("/v1/auth/oidc/google/start\(query)")
        #expect(answer.status == .seeOther, "\(answer.text)")
        let address = try #require(answer.headers[.location])
        return TestIssuer.items(String(address.drop { $0 != "?" }.dropFirst()))
    }

    func callback(code: String? = nil, state: String?, and more: String = "") async throws -> Answer {
        var query = more
        if let code { query += "&code=\(code)" }
        if let state { query += "&state=\(state)" }
        return try await get("/v1/auth/oidc/google/callback?\(query)")
    }
}
