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
            throw NoRoute()
        }
        return parameters
    }

    private struct NoRoute: Error {}

    @Test func `a path is found by its components`() {
        #expect(path(.get, "/healthz") == "/healthz")
        #expect(path(.get, "/v1/conversations") == "/v1/conversations")
        #expect(path(.get, "/v1/Conversations") == nil)
        #expect(path(.get, "/v1/conversation") == nil)
        #expect(path(.get, "/v1/conversations%2F") == nil)
        #expect(path(.get, "/") == nil)
        #expect(path(.get, "") == nil)
        #expect(path(.get, "/v1/conversations/a/b/c/d/e/f/g/" + String(repeating: "x/", count: 5_000)) == nil)
    }

    @Test(arguments: [
        "/healthz/", "//healthz", "healthz", "/healthz//", "///", "/v1//conversations", "/v1/conversations/",
    ])
    func `a path with an empty component is none of ours, whatever it is without it`(path: String) {
        #expect(self.path(.get, path) == nil)
        #expect(table.allowed(at: path) == nil)
    }

    @Test func `parameters are percent-decoded, once`() throws {
        let found = try parameters(.put, "/v1/conversations/%C3%A4/messages/ä")
        #expect(found["conversationId"] == "ä")
        #expect(found["messageId"] == "ä")
        #expect(found["userId"] == nil)
        #expect(try parameters(.put, "/v1/conversations/%252f")["conversationId"] == "%2f")
        #expect(try parameters(.put, "/v1/conversations/a%2Fb")["conversationId"] == "a/b")
        #expect(try parameters(.put, "/v1/conversations/%F0%9F%91%8d%20+")["conversationId"] == "👍 +")
    }

    @Test(arguments: ["%", "%4", "%zz", "%C3", "%ff", "a%00b", "%+1", "%F0%9F%91"])
    func `what cannot be decoded to a text names nothing`(parameter: String) throws {
        #expect(try parameters(.put, "/v1/conversations/\(parameter)")["conversationId"] == nil)
    }

    @Test func `what is given is compared as it is written`() {
        #expect(path(.get, "/%68ealthz") == nil)
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
