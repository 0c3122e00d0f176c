import Foundation
import HTTPTypes
import ParleyWire

/// A request and the answer that it deserves; `{group}`, `{stranger}`, `{me}` and `{new}` stand for ids.
struct BadRequest: Sendable {
    let name: String
    let method: HTTPRequest.Method
    let path: String
    let body: String?
    let code: ProblemCode
    /// A pointer into the body, or the name of a parameter.
    let place: String?
    let contentType: String

    init(
        _ name: String,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String?,
        _ code: ProblemCode = .validationFailed,
        at place: String? = nil,
        type contentType: String = "application/json"
    ) {
        self.name = name
        self.method = method
        self.path = "/v1" + path
        self.body = body
        self.code = code
        self.place = place
        self.contentType = contentType
    }

    static func sending(
        _ name: String,
        _ body: String,
        _ code: ProblemCode = .validationFailed,
        at place: String? = nil
    ) -> BadRequest {
        BadRequest(name, .put, "/conversations/{group}/messages/{new}", body, code, at: place)
    }
}

extension BadRequest {
    static let texts: [BadRequest] = [
        .sending("no body", "", .malformedRequest),
        .sending("cut JSON", #"{"text": "Hi""#, .malformedRequest),
        .sending("no JSON", "text=Hi", .malformedRequest),
        .sending("JSON and more", #"{"text": "Hi"} {}"#, .malformedRequest),
        .sending("a body of brackets", String(repeating: "[", count: 100_000), at: ""),
        .sending("more values than anything has", "[\(String(repeating: "0,", count: 25_000))0]", at: ""),
        .sending("an array", "[]", at: ""),
        .sending("null", "null", at: ""),
        .sending("no text", "{}", at: "/text"),
        .sending("a null text", #"{"text": null}"#, at: "/text"),
        .sending("a number for a text", #"{"text": 1}"#, at: "/text"),
        .sending("an object for a text", #"{"text": {"$ne": ""}}"#, at: "/text"),
        .sending("an empty text", #"{"text": ""}"#, at: "/text"),
        .sending("a blank text", #"{"text": " \n\t\u00a0\u2003"}"#, at: "/text"),
        .sending("a text without width", #"{"text": "\u200b\u2060\ufeff"}"#, at: "/text"),
        .sending("a text of fillers and selectors", #"{"text": "\u3164 \ufe0f\u2800"}"#, at: "/text"),
        .sending("10,001 scalars", #"{"text": "\#(String(repeating: "é", count: 10_001))"}"#, at: "/text"),
        .sending("NUL", #"{"text": "a\u0000b"}"#, at: "/text"),
        .sending("a lone surrogate", #"{"text": "a\ud800b"}"#, at: "/text"),
        .sending("an unknown message answered", #"{"text": "Hi", "replyToId": "\#(UUID())"}"#, at: "/replyToId"),
        .sending("no id answered", #"{"text": "Hi", "replyToId": "1"}"#, at: "/replyToId"),
        .sending("no time", #"{"text": "Hi", "clientTimestamp": "now"}"#, at: "/clientTimestamp"),
        .sending(
            "a day too many",
            #"{"text": "Hi", "clientTimestamp": "2026-02-30T00:00:00Z"}"#,
            at: "/clientTimestamp"
        ),
        .sending("no list of mentions", #"{"text": "Hi", "mentions": "all"}"#, at: "/mentions"),
        .sending("a mention of nobody", #"{"text": "Hi", "mentions": ["@all", "@here"]}"#, at: "/mentions/1"),
        .sending("a mention without quotes", #"{"text": "Hi", "mentions": [1]}"#, at: "/mentions/0"),
        .sending("no file", #"{"text": "Hi", "attachmentIds": ["\#(UUID())"]}"#, at: "/attachmentIds/0"),
        .sending("no id of a file", #"{"attachmentIds": ["x"]}"#, at: "/attachmentIds/0"),
    ]

    static let ids: [BadRequest] = [
        .init("a message id that is none", .put, "/conversations/{group}/messages/1", "{}", at: "messageId"),
        .init(
            "a message id of version 8",
            .put,
            "/conversations/{group}/messages/0195c0de-0000-8000-8000-00000000abcd",
            #"{"text": "Hi"}"#,
            at: "messageId"
        ),
        .init("a group id that is none", .put, "/conversations/friends", "{}", at: "conversationId"),
        .init(
            "a group id of version 8",
            .put,
            "/conversations/0195c0de-0000-8000-8000-00000000abcd",
            "{}",
            at: "conversationId"
        ),
        .init(
            "a new conversation's id that is no text",
            .put,
            "/conversations/%zz",
            #"{"participantIds": []}"#,
            at: "conversationId"
        ),
        .init("a conversation id that is none", .get, "/conversations/1", nil, .notFound),
        .init("an unknown conversation", .get, "/conversations/{new}", nil, .notFound),
        .init(
            "sending to an unknown conversation",
            .put,
            "/conversations/{new}/messages/{new}",
            #"{"text": "Hi"}"#,
            .notFound
        ),
        .init("sending to no conversation", .post, "/conversations/x/messages", #"{"text": "Hi"}"#, .notFound),
        .init("an unknown person", .get, "/users/{new}", nil, .notFound),
        .init("no person", .get, "/users/%00", nil, .notFound),
        .init("a direct conversation with nobody", .put, "/conversations/direct/{new}", nil, .notFound),
        .init("a direct conversation with oneself", .put, "/conversations/direct/{me}", nil, .validationFailed),
        .init("an unknown newcomer", .put, "/conversations/{group}/participants/{new}", nil, .notFound),
        .init("removing a stranger", .delete, "/conversations/{group}/participants/{stranger}", nil, .notFound),
        .init("leaving an unknown conversation", .post, "/conversations/{new}/leave", nil, .notFound),
    ]

    static let groups: [BadRequest] = [
        .init(
            "a group of nobody",
            .put,
            "/conversations/{new}",
            #"{"groupName": "X", "participantIds": []}"#,
            at: "/participantIds"
        ),
        .init("a group without people", .put, "/conversations/{new}", #"{"groupName": "X"}"#, at: "/participantIds"),
        .init(
            "a group of strangers",
            .put,
            "/conversations/{new}",
            #"{"groupName": "X", "participantIds": ["\#(UUID())"]}"#,
            at: "/participantIds/0"
        ),
        .init(
            "a group without a name",
            .put,
            "/conversations/{new}",
            #"{"groupName": "  ", "participantIds": []}"#,
            at: "/groupName"
        ),
        .init(
            "a group whose name shows nothing",
            .put,
            "/conversations/{new}",
            #"{"groupName": "\u200e\u200b\u3164", "participantIds": []}"#,
            at: "/groupName"
        ),
        .init(
            "a group whose name turns what follows it",
            .put,
            "/conversations/{new}",
            #"{"groupName": "evil\u202egnp.exe", "participantIds": []}"#,
            at: "/groupName"
        ),
        .init(
            "a name that isolates what follows it",
            .patch,
            "/conversations/{group}",
            #"{"groupName": "a\u2066b"}"#,
            at: "/groupName"
        ),
        .init(
            "a name of accents alone",
            .patch,
            "/conversations/{group}",
            #"{"groupName": "\u0301\u0308"}"#,
            at: "/groupName"
        ),
        .init(
            "a long name",
            .put,
            "/conversations/{new}",
            #"{"groupName": "\#(String(repeating: "x", count: 101))", "participantIds": []}"#,
            at: "/groupName"
        ),
        .init(
            "a name of two lines",
            .put,
            "/conversations/{new}",
            #"{"groupName": "a\nb", "participantIds": []}"#,
            at: "/groupName"
        ),
        .init(
            "a name with an escape",
            .patch,
            "/conversations/{group}",
            #"{"groupName": "a\u001b[31mb"}"#,
            at: "/groupName"
        ),
        .init("a name with NUL", .patch, "/conversations/{group}", #"{"groupName": "a\u0000b"}"#, at: "/groupName"),
        .init(
            "a name with a separator of lines",
            .patch,
            "/conversations/{group}",
            #"{"groupName": "a\u2028b"}"#,
            at: "/groupName"
        ),
        .init(
            "a policy that is no text",
            .patch,
            "/conversations/{group}",
            #"{"joinPolicy": ["open"]}"#,
            at: "/joinPolicy"
        ),
        .init("a cleared name", .patch, "/conversations/{group}", #"{"groupName": null}"#, at: "/groupName"),
        .init(
            "a picture from elsewhere",
            .patch,
            "/conversations/{group}",
            #"{"groupIcon": "http://evil"}"#,
            at: "/groupIcon"
        ),
        .init(
            "a role that is no text",
            .put,
            "/conversations/{group}/participants/{stranger}",
            #"{"role": 7}"#,
            at: "/role"
        ),
    ]

    static let others: [BadRequest] = [
        .init("no receipts", .post, "/receipts", "{}", at: "/receipts"),
        .init("a receipt for nothing", .post, "/receipts", #"{"receipts": [{}]}"#, at: "/receipts/0/conversationId"),
        .init(
            "a negative mark",
            .post,
            "/receipts",
            #"{"receipts": [{"conversationId": "{group}", "readSeq": -1}]}"#,
            at: "/receipts/0/readSeq"
        ),
        .init(
            "201 receipts",
            .post,
            "/receipts",
            #"{"receipts": [\#(Array(repeating: "{}", count: 201).joined(separator: ","))]}"#,
            at: "/receipts"
        ),
        .init("limit 0", .get, "/conversations?limit=0", nil, at: "limit"),
        .init("limit 201", .get, "/conversations/{group}/messages?limit=201", nil, at: "limit"),
        .init("an endless limit", .get, "/users?limit=99999999999999999999999", nil, at: "limit"),
        .init("a bad cursor of conversations", .get, "/conversations?cursor=%F0%9F%98%80", nil, at: "cursor"),
        .init("a bad cursor of people", .get, "/users?cursor=AAAA", nil, at: "cursor"),
        .init("a bad cursor of participants", .get, "/conversations/{group}/participants?cursor=x", nil, at: "cursor"),
        .init(
            "a bad cursor of history",
            .get,
            "/conversations/{group}/messages?before=\(String(repeating: "A", count: 4_000))",
            nil,
            at: "before"
        ),
        .init("around nothing", .get, "/conversations/{group}/messages?around=here", nil, at: "around"),
        .init("around an unknown message", .get, "/conversations/{group}/messages?around={new}", nil, .notFound),
        .init("before and after", .get, "/conversations/{group}/messages?before=a&after=b", nil, at: "after"),
        .init("an unknown filter", .get, "/conversations?filter=best", nil, at: "filter"),
        .init("a parameter that is no text", .get, "/users?query=%FF", nil, at: "query"),
        .init("an endless search", .get, "/users?query=\(String(repeating: "a", count: 201))", nil, at: "query"),
        .init(
            "a form",
            .post,
            "/receipts",
            "receipts=1",
            .unsupportedMediaType,
            type: "application/x-www-form-urlencoded"
        ),
        .init(
            "another charset",
            .post,
            "/receipts",
            "{}",
            .unsupportedMediaType,
            type: "application/json; charset=iso-8859-1"
        ),
        .init("a short name", .patch, "/me", #"{"displayName": "A"}"#, at: "/displayName"),
        .init("a name with a bell", .patch, "/me", #"{"displayName": "A\u0007da"}"#, at: "/displayName"),
        .init("a name of two lines", .patch, "/me", #"{"displayName": "Ada\nBob"}"#, at: "/displayName"),
        .init("a name that turns around", .patch, "/me", #"{"displayName": "A\u202eda"}"#, at: "/displayName"),
        .init("a name of Braille without dots", .patch, "/me", #"{"displayName": "\u2800\u2800"}"#, at: "/displayName"),
        .init("a name of accents", .patch, "/me", #"{"displayName": "\u0301\u0301"}"#, at: "/displayName"),
        .init("no name any more", .patch, "/me", #"{"displayName": null}"#, at: "/displayName"),
        .init(
            "settings that are none",
            .patch,
            "/me",
            #"{"settings": {"readReceipts": "no"}}"#,
            at: "/settings/readReceipts"
        ),
        .init("a presence that is none", .put, "/me/presence", #"{"status": "asleep"}"#, at: "/status"),
        .init("no presence", .put, "/me/presence", "{}", at: "/status"),
        .init("nobody to be told of", .put, "/presence/subscriptions", "{}", at: "/userIds"),
        .init("somebody without an id", .put, "/presence/subscriptions", #"{"userIds": ["Ada"]}"#, at: "/userIds/0"),
        .init("a wrong method", .put, "/me", nil, .methodNotAllowed),
        .init("a path that leads nowhere", .get, "/nothing/here", nil, .notFound),
        .init("a path of dots", .get, "/../../etc/passwd", nil, .notFound),
    ]
}
