import HTTPTypes
import Hummingbird
import Testing

@testable import Edge

@Suite struct RouteTableTests {
    private let table = RouteTable(
        [
            (.get, "/v1/conversations"),
            (.put, "/v1/conversations/{conversationId}"),
            (.get, "/v1/conversations/{conversationId}/participants"),
            (.put, "/v1/conversations/direct/{userId}"),
            (.put, "/v1/conversations/{conversationId}/messages/{messageId}"),
            (.get, "/healthz"),
        ].map { method, path in
            Route(method, RoutePattern(path), .open { _, _ in Response(status: .ok) })
        }
    )

    private func path(_ method: HTTPRequest.Method, _ path: String) -> String? {
        table.match(method, path).route?.path
    }

    private func parameters(_ method: HTTPRequest.Method, _ path: String) throws -> PathParameters {
        guard case .route(_, let parameters) = table.match(method, path) else {
            Issue.record("\(path) is no route")
            return PathParameters(RoutePattern(""), try #require(PathComponents("", atMost: 0)))
        }
        return parameters
    }

    @Test func `a path is found by its components, empty ones passed over`() {
        #expect(path(.get, "/healthz") == "/healthz")
        #expect(path(.get, "//v1/conversations/") == "/v1/conversations")
        #expect(path(.get, "/v1/Conversations") == nil)
        #expect(path(.get, "/v1/conversation") == nil)
        #expect(path(.get, "/v1/conversations%2F") == nil)
        #expect(path(.get, "/") == nil)
        #expect(path(.get, "") == nil)
        #expect(path(.get, "/v1/conversations/a/b/c/d/e/f/g/" + String(repeating: "x/", count: 5_000)) == nil)
    }

    @Test func `parameters are what the client wrote`() throws {
        let found = try parameters(.put, "/v1/conversations/%C3%A4/messages/ä")
        #expect(found["conversationId"] == "%C3%A4")
        #expect(found["messageId"] == "ä")
        #expect(found["userId"] == nil)
    }

    @Test func `what is given comes before a parameter, where it has the method`() throws {
        #expect(path(.put, "/v1/conversations/direct/participants") == "/v1/conversations/direct/{userId}")
        #expect(try parameters(.put, "/v1/conversations/direct/7")["userId"] == "7")
        let other = "/v1/conversations/{conversationId}/participants"
        #expect(path(.get, "/v1/conversations/direct/participants") == other)
    }

    @Test func `a route for GET answers HEAD, and other methods are told`() {
        #expect(path(.head, "/healthz") == "/healthz")
        guard case .otherMethods(let allow) = table.match(.delete, "/v1/conversations/direct/participants") else {
            Issue.record("not told")
            return
        }
        #expect(allow == "GET, HEAD, PUT")
        #expect(table.allowed(at: "/healthz") == "GET, HEAD")
        #expect(table.allowed(at: "/health") == nil)
    }
}
