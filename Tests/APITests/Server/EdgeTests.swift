import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Edge

@Suite(.database) struct EdgeTests {
    @Test func `every answer has a request id of its own`() async throws {
        try await TestServer.with { server in
            var ids: Set<String> = []
            for path in ["/healthz", "/nowhere", "/v1/me", "/v1/auth/login", "/readyz"] {
                let answer = try await server.send(.get, path)
                ids.insert(try #require(answer[ParleyHeader.requestID]))
                #expect(answer["X-Content-Type-Options"] == "nosniff")
                #expect(answer["Cache-Control"] == "no-store")
            }
            #expect(ids.count == 5)
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, "/v1/auth/login", "POST"),
        (.put, "/v1/me", "DELETE, GET, HEAD, PATCH"),
        (.options, "/healthz", "GET, HEAD"),
        (.trace, "/v1/conversations/x/messages/y", "DELETE, GET, HEAD, PATCH, PUT"),
        (.post, "/v1/conversations/direct/x", "PUT"),
        (.put, "/v1/receipts", "POST"),
    ])
    func `a wrong method is told which are right`(method: HTTPRequest.Method, path: String, allow: String) async throws
    {
        try await TestServer.with { server in
            let answer = try await server.send(method, path)
            try answer.expect(.methodNotAllowed)
            #expect(answer["Allow"] == allow)
        }
    }

    @Test(arguments: [
        "/", "/v1", "/v2/me", "/v1/me/x", "//", "/metrics/", "//metrics", "/readyz/", "/v1//server", "/v1/server/",
        "/%6detrics", "/v1/%2e%2e/me", "/healthz/x", "/v1/conversations/a/b/c/d/e",
    ])
    func `a path that leads nowhere is not found`(path: String) async throws {
        try await TestServer.with { server in try await server.send(.get, path).expect(.notFound) }
    }

    @Test func `HEAD is GET without the body`() async throws {
        try await TestServer.with { server in
            let answer = try await server.send(.head, "/healthz")
            #expect(answer.status == .ok)
            #expect(answer.body.isEmpty)
        }
    }

    @Test func `a body without a type is taken for JSON`() async throws {
        try await TestServer.with { server in
            let body = #"{"email": "a@example.org", "password": "wrong horse"}"#
            for type in [
                "", "application/json", "Application/JSON ; charset=\"UTF-8\"", "application/json;charset=utf-8",
            ] {
                var headers: HTTPFields = [:]
                headers[.contentType] = type
                if type.isEmpty { headers[.contentType] = nil }
                let answer = try await server.client.executeRequest(
                    uri: "/v1/auth/login",
                    method: .post,
                    headers: headers,
                    body: .init(string: body)
                )
                #expect(answer.status == .unauthorized)
            }
        }
    }

    @Test func `what operators look at needs no token`() async throws {
        try await TestServer.with { server in
            #expect(try await server.send(.get, "/healthz").text == #"{"status":"ok"}"#)
            #expect(try await server.send(.get, "/readyz").text == #"{"status":"ready"}"#)
            let metrics = try await server.send(.get, "/metrics")
            #expect(metrics["Content-Type"]?.hasPrefix("text/plain; version=0.0.4") == true)
            let specification = try await server.send(.get, "/openapi.yaml")
            #expect(specification["Content-Type"] == "application/yaml")
            #expect(specification.text.hasPrefix("openapi: 3.1"))
        }
    }

    @Test func `the server tells its limits`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register()
            let info = try await ada.get(ServerInfo.self, "/v1/server")
            #expect(info.limits == ServerLimits())
        }
    }
}
