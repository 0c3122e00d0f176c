import EventStore
import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

/// Requests that clients get wrong, by mistake or on purpose: each is told so in the contract's words, and stores nothing.
@Suite(.database) struct BadInputTests {
    /// One request and the answer that it deserves; `{group}`, `{stranger}`, `{new}` in the path stand for ids.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let method: HTTPRequest.Method
        let path: String
        let body: String?
        let code: ProblemCode
        var pointer: String?
        var parameter: String?
        var headers: HTTPFields = [:]

        var testDescription: String { name }
    }

    private static let send = "/v1/conversations/{group}/messages/{new}"

    private static func sending(_ name: String, _ body: String, _ code: ProblemCode, _ pointer: String? = nil) -> Case {
        Case(name: name, method: .put, path: send, body: body, code: code, pointer: pointer)
    }

    static let texts: [Case] = [
        sending("no body", "", .malformedRequest),
        sending("cut JSON", #"{"text": "Hi""#, .malformedRequest),
        sending("no JSON", "text=Hi", .malformedRequest),
        sending("JSON and more", #"{"text": "Hi"} {}"#, .malformedRequest),
        sending("a body of brackets", String(repeating: "[", count: 100_000), .malformedRequest),
        sending("an array", "[]", .validationFailed, ""),
        sending("null", "null", .validationFailed, ""),
        sending("no text", "{}", .validationFailed, "/text"),
        sending("a null text", #"{"text": null}"#, .validationFailed, "/text"),
        sending("a number for a text", #"{"text": 1}"#, .validationFailed, "/text"),
        sending("an object for a text", #"{"text": {"$ne": ""}}"#, .validationFailed, "/text"),
        sending("an empty text", #"{"text": ""}"#, .validationFailed, "/text"),
        sending("a blank text", #"{"text": " \n\t\u00a0\u2003"}"#, .validationFailed, "/text"),
        sending(
            "10,001 scalars",
            #"{"text": "\#(String(repeating: "é", count: 10_001))"}"#,
            .validationFailed,
            "/text"
        ),
        sending("NUL", #"{"text": "a\u0000b"}"#, .validationFailed, "/text"),
        sending("a lone surrogate", #"{"text": "a\ud800b"}"#, .validationFailed, "/text"),
        sending(
            "an unknown message answered",
            #"{"text": "Hi", "replyToId": "\#(UUID())"}"#,
            .validationFailed,
            "/replyToId"
        ),
        sending("no id answered", #"{"text": "Hi", "replyToId": "1"}"#, .validationFailed, "/replyToId"),
        sending("no time", #"{"text": "Hi", "clientTimestamp": "now"}"#, .validationFailed, "/clientTimestamp"),
        sending(
            "a day too many",
            #"{"text": "Hi", "clientTimestamp": "2026-02-30T00:00:00Z"}"#,
            .validationFailed,
            "/clientTimestamp"
        ),
        sending("no list of mentions", #"{"text": "Hi", "mentions": "all"}"#, .validationFailed, "/mentions"),
        sending(
            "an attachment",
            #"{"text": "Hi", "attachmentIds": ["\#(UUID())"]}"#,
            .validationFailed,
            "/attachmentIds"
        ),
    ]

    static let ids: [Case] = [
        Case(
            name: "a message id that is none",
            method: .put,
            path: "/v1/conversations/{group}/messages/1",
            body: "{}",
            code: .validationFailed,
            parameter: "messageId"
        ),
        Case(
            name: "a message id of version 8",
            method: .put,
            path: "/v1/conversations/{group}/messages/0195c0de-0000-8000-8000-00000000abcd",
            body: #"{"text": "Hi"}"#,
            code: .validationFailed,
            parameter: "messageId"
        ),
        Case(
            name: "a group id that is none",
            method: .put,
            path: "/v1/conversations/friends",
            body: "{}",
            code: .validationFailed,
            parameter: "id"
        ),
        Case(
            name: "a group id of version 8",
            method: .put,
            path: "/v1/conversations/0195c0de-0000-8000-8000-00000000abcd",
            body: "{}",
            code: .validationFailed,
            parameter: "id"
        ),
        Case(
            name: "a conversation id that is none",
            method: .get,
            path: "/v1/conversations/1",
            body: nil,
            code: .notFound
        ),
        Case(
            name: "an unknown conversation",
            method: .get,
            path: "/v1/conversations/{new}",
            body: nil,
            code: .notFound
        ),
        Case(
            name: "sending to an unknown conversation",
            method: .put,
            path: "/v1/conversations/{new}/messages/{new}",
            body: #"{"text": "Hi"}"#,
            code: .notFound
        ),
        Case(
            name: "sending to no conversation",
            method: .post,
            path: "/v1/conversations/x/messages",
            body: #"{"text": "Hi"}"#,
            code: .notFound
        ),
        Case(name: "an unknown person", method: .get, path: "/v1/users/{new}", body: nil, code: .notFound),
        Case(name: "no person", method: .get, path: "/v1/users/%00", body: nil, code: .notFound),
        Case(
            name: "a direct conversation with nobody",
            method: .put,
            path: "/v1/conversations/direct/{new}",
            body: nil,
            code: .notFound
        ),
        Case(
            name: "a direct conversation with oneself",
            method: .put,
            path: "/v1/conversations/direct/{me}",
            body: nil,
            code: .validationFailed
        ),
        Case(
            name: "an unknown newcomer",
            method: .put,
            path: "/v1/conversations/{group}/participants/{new}",
            body: nil,
            code: .notFound
        ),
        Case(
            name: "removing a stranger",
            method: .delete,
            path: "/v1/conversations/{group}/participants/{stranger}",
            body: nil,
            code: .notFound
        ),
        Case(
            name: "leaving an unknown conversation",
            method: .post,
            path: "/v1/conversations/{new}/leave",
            body: nil,
            code: .notFound
        ),
    ]

    static let groups: [Case] = [
        Case(
            name: "a group of nobody",
            method: .put,
            path: "/v1/conversations/{new}",
            body: #"{"groupName": "X", "participantIds": []}"#,
            code: .validationFailed,
            pointer: "/participantIds"
        ),
        Case(
            name: "a group without people",
            method: .put,
            path: "/v1/conversations/{new}",
            body: #"{"groupName": "X"}"#,
            code: .validationFailed,
            pointer: "/participantIds"
        ),
        Case(
            name: "a group of strangers",
            method: .put,
            path: "/v1/conversations/{new}",
            body: #"{"groupName": "X", "participantIds": ["\#(UUID())"]}"#,
            code: .validationFailed,
            pointer: "/participantIds/0"
        ),
        Case(
            name: "a group without a name",
            method: .put,
            path: "/v1/conversations/{new}",
            body: #"{"groupName": "  ", "participantIds": []}"#,
            code: .validationFailed,
            pointer: "/groupName"
        ),
        Case(
            name: "a long name",
            method: .put,
            path: "/v1/conversations/{new}",
            body: #"{"groupName": "\#(String(repeating: "x", count: 101))", "participantIds": []}"#,
            code: .validationFailed,
            pointer: "/groupName"
        ),
        Case(
            name: "a name of two lines",
            method: .put,
            path: "/v1/conversations/{new}",
            body: #"{"groupName": "a\nb", "participantIds": []}"#,
            code: .validationFailed,
            pointer: "/groupName"
        ),
        Case(
            name: "an unknown policy",
            method: .patch,
            path: "/v1/conversations/{group}",
            body: #"{"joinPolicy": "maybe"}"#,
            code: .validationFailed,
            pointer: "/joinPolicy"
        ),
        Case(
            name: "a cleared name",
            method: .patch,
            path: "/v1/conversations/{group}",
            body: #"{"groupName": null}"#,
            code: .validationFailed,
            pointer: "/groupName"
        ),
        Case(
            name: "a picture from elsewhere",
            method: .patch,
            path: "/v1/conversations/{group}",
            body: #"{"groupIcon": "http://evil"}"#,
            code: .validationFailed,
            pointer: "/groupIcon"
        ),
        Case(
            name: "an unknown role",
            method: .put,
            path: "/v1/conversations/{group}/participants/{stranger}",
            body: #"{"role": "king"}"#,
            code: .validationFailed,
            pointer: "/role"
        ),
    ]

    static let others: [Case] = [
        Case(
            name: "no receipts",
            method: .post,
            path: "/v1/receipts",
            body: "{}",
            code: .validationFailed,
            pointer: "/receipts"
        ),
        Case(
            name: "a receipt for nothing",
            method: .post,
            path: "/v1/receipts",
            body: #"{"receipts": [{}]}"#,
            code: .validationFailed,
            pointer: "/receipts/0/conversationId"
        ),
        Case(
            name: "a negative mark",
            method: .post,
            path: "/v1/receipts",
            body: #"{"receipts": [{"conversationId": "{group}", "readSeq": -1}]}"#,
            code: .validationFailed,
            pointer: "/receipts/0/readSeq"
        ),
        Case(
            name: "201 receipts",
            method: .post,
            path: "/v1/receipts",
            body: #"{"receipts": [\#(Array(repeating: "{}", count: 201).joined(separator: ","))]}"#,
            code: .validationFailed,
            pointer: "/receipts"
        ),
        Case(
            name: "limit 0",
            method: .get,
            path: "/v1/conversations?limit=0",
            body: nil,
            code: .validationFailed,
            parameter: "limit"
        ),
        Case(
            name: "limit 201",
            method: .get,
            path: "/v1/conversations/{group}/messages?limit=201",
            body: nil,
            code: .validationFailed,
            parameter: "limit"
        ),
        Case(
            name: "an endless limit",
            method: .get,
            path: "/v1/users?limit=99999999999999999999999",
            body: nil,
            code: .validationFailed,
            parameter: "limit"
        ),
        Case(
            name: "a bad cursor of conversations",
            method: .get,
            path: "/v1/conversations?cursor=%F0%9F%98%80",
            body: nil,
            code: .validationFailed,
            parameter: "cursor"
        ),
        Case(
            name: "a bad cursor of people",
            method: .get,
            path: "/v1/users?cursor=AAAA",
            body: nil,
            code: .validationFailed,
            parameter: "cursor"
        ),
        Case(
            name: "a bad cursor of participants",
            method: .get,
            path: "/v1/conversations/{group}/participants?cursor=x",
            body: nil,
            code: .validationFailed,
            parameter: "cursor"
        ),
        Case(
            name: "a bad cursor of history",
            method: .get,
            path: "/v1/conversations/{group}/messages?before=\(String(repeating: "A", count: 4_000))",
            body: nil,
            code: .validationFailed,
            parameter: "before"
        ),
        Case(
            name: "around nothing",
            method: .get,
            path: "/v1/conversations/{group}/messages?around=here",
            body: nil,
            code: .validationFailed,
            parameter: "around"
        ),
        Case(
            name: "around an unknown message",
            method: .get,
            path: "/v1/conversations/{group}/messages?around={new}",
            body: nil,
            code: .notFound
        ),
        Case(
            name: "before and after",
            method: .get,
            path: "/v1/conversations/{group}/messages?before=a&after=b",
            body: nil,
            code: .validationFailed,
            parameter: "after"
        ),
        Case(
            name: "an unknown filter",
            method: .get,
            path: "/v1/conversations?filter=best",
            body: nil,
            code: .validationFailed,
            parameter: "filter"
        ),
        Case(
            name: "a parameter that is no text",
            method: .get,
            path: "/v1/users?query=%FF",
            body: nil,
            code: .validationFailed,
            parameter: "query"
        ),
        Case(
            name: "an endless search",
            method: .get,
            path: "/v1/users?query=\(String(repeating: "a", count: 201))",
            body: nil,
            code: .validationFailed,
            parameter: "query"
        ),
        Case(
            name: "a form",
            method: .post,
            path: "/v1/receipts",
            body: "receipts=1",
            code: .unsupportedMediaType,
            headers: [.contentType: "application/x-www-form-urlencoded"]
        ),
        Case(
            name: "another charset",
            method: .post,
            path: "/v1/receipts",
            body: "{}",
            code: .unsupportedMediaType,
            headers: [.contentType: "application/json; charset=iso-8859-1"]
        ),
        Case(
            name: "a short name",
            method: .patch,
            path: "/v1/me",
            body: #"{"displayName": "A"}"#,
            code: .validationFailed,
            pointer: "/displayName"
        ),
        Case(
            name: "no name any more",
            method: .patch,
            path: "/v1/me",
            body: #"{"displayName": null}"#,
            code: .validationFailed,
            pointer: "/displayName"
        ),
        Case(
            name: "settings that are none",
            method: .patch,
            path: "/v1/me",
            body: #"{"settings": {"readReceipts": "no"}}"#,
            code: .validationFailed,
            pointer: "/settings/readReceipts"
        ),
        Case(name: "a wrong method", method: .delete, path: "/v1/me", body: nil, code: .methodNotAllowed),
        Case(name: "a path that leads nowhere", method: .get, path: "/v1/nothing/here", body: nil, code: .notFound),
        Case(name: "a path of dots", method: .get, path: "/v1/../../etc/passwd", body: nil, code: .notFound),
    ]

    @Test func `each is refused in the contract's words and stores nothing`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let stranger = try await server.register("Stranger")
            let group = try await ada.startGroup(with: [try await server.register(), try await server.register()])
            let before = try await server.eventStore.log.heads()
            for bad in Self.texts + Self.ids + Self.groups + Self.others {
                func fill(_ text: String) -> String {
                    text.replacingOccurrences(of: "{group}", with: "\(group.id)")
                        .replacingOccurrences(of: "{stranger}", with: "\(stranger.id)")
                        .replacingOccurrences(of: "{me}", with: "\(ada.id)")
                        .replacingOccurrences(of: "{new}", with: "\(WireID())")
                }
                let answer = try await ada.send(
                    bad.method,
                    fill(bad.path),
                    headers: bad.headers,
                    text: bad.body.map(fill)
                )
                let problem = try answer.problem()
                #expect(problem.knownCode == bad.code, "\(bad.name): \(answer.text)")
                let places = problem.errors ?? []
                if let pointer = bad.pointer {
                    #expect(places.contains { $0.pointer == pointer }, "\(bad.name): \(places)")
                }
                if let name = bad.parameter {
                    #expect(places.contains { $0.parameter == name }, "\(bad.name): \(places)")
                }
            }
            #expect(try await server.eventStore.log.heads() == before)
        }
    }
}
