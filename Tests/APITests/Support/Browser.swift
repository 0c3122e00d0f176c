import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import Edge

/// Somebody who is signed in to a test's server in a browser: by a cookie, from the server's own pages.
struct Browser: Sendable {
    let server: TestServer
    let session: CookieSession
    let email: String
    /// The `Cookie` header.
    var cookie: String
    /// What its requests from the server's own pages have.
    var headers: HTTPFields { [.cookie: cookie, .secFetchSite: "same-origin"] }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [.secFetchSite: "same-origin"],
        body: JSONValue? = nil
    ) async throws -> Answer {
        var headers = headers
        headers[.cookie] = cookie
        return try await server.send(method, path, headers: headers, body: body)
    }

    /// Whether the session lives.
    func isSignedIn() async throws -> Bool { try await send(.get, "/v1/me").status == .ok }
}

extension TestServer {
    /// Registers somebody in a browser.
    func registerInBrowser(_ name: String = "Ada") async throws -> Browser {
        let email = "\(UUID().uuidString.lowercased())@example.org"
        let body: JSONValue = .object([
            "email": .string(email), "password": .string("correct horse"), "displayName": .string(name),
            "session": .string("cookie"),
        ])
        return try browser(try await send(.post, "/v1/auth/register", headers: Self.ownPage, body: body), email)
    }

    /// Signs in once more, in another browser.
    func loginInBrowser(_ email: String, _ password: String = "correct horse") async throws -> Browser {
        try browser(try await login(email, password), email)
    }

    func login(
        _ email: String,
        _ password: String = "correct horse",
        headers: HTTPFields = ownPage
    ) async throws -> Answer {
        let body: JSONValue = .object([
            "email": .string(email), "password": .string(password), "session": .string("cookie"),
            "deviceName": .string("Chrome"),
        ])
        return try await send(.post, "/v1/auth/login", headers: headers, body: body)
    }

    static let ownPage: HTTPFields = [.secFetchSite: "same-origin"]

    /// The browser that has got the answer to signing in.
    func browser(_ answer: Answer, _ email: String) throws -> Browser {
        let session = try answer.decode(CookieSession.self)
        let cookie = try #require(answer["Set-Cookie"]?.split(separator: ";").first.map { String($0) })
        SecretWatch.add(String(cookie.drop { $0 != "=" }.dropFirst()))
        return Browser(server: self, session: session, email: email, cookie: cookie)
    }
}
