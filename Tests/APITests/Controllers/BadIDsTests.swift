import EventStore
import Foundation
import HTTPTypes
import Messaging
import ParleyWire
import Postgres
import TestSupport
import Testing

/// Ids of others, of elsewhere, of what is gone, of nothing, and texts that are no ids, on every route that takes some: each is
/// refused by a problem document, and nothing is stored.
@Suite(.database, .timeLimit(.minutes(10))) struct BadIDsTests {
    @Test func `each is refused in the contract's words and stores nothing`() async throws {
        try await TestServer.with { server in
            let scene = try await Scene(server)
            let before = try await scene.stored()
            for request in Self.refused { try await scene.expect(request) }
            #expect(try await scene.stored() == before)
        }
    }

    @Test func `of several, each that is not for the caller is named, and nothing stored`() async throws {
        try await TestServer.with { server in
            let scene = try await Scene(server)
            let before = try await scene.stored()
            let asked = ["new", "elsewhere", "left", "severed"]
            let targets = asked.map { JSONValue.string(scene.fill("{\($0)}")) }
            let forward: JSONValue = .object(["conversationIds": .array(targets)])
            let path = scene.fill("/v1/conversations/{group}/messages/{mine}/forward")
            let forwarded = try await scene.caller.send(.post, path, body: forward).decode(ForwardAnswer.self)
            #expect(forwarded.items.map(\.code) == ["notFound", "notFound", "forbidden", "forbidden"])
            let marks = targets.prefix(3).map { JSONValue.object(["conversationId": $0, "readSeq": .number(1)]) }
            let receipts: JSONValue = .object(["receipts": .array(marks)])
            let moved = try await scene.caller.send(.post, "/v1/receipts", body: receipts).decode(ReceiptsAnswer.self)
            #expect(moved.items.map(\.code) == ["notFound", "notFound", "forbidden"])
            #expect(try await scene.stored() == before)
        }
    }

    /// A request of the caller's; names in braces stand for what the scene has.
    struct Refused: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let code: ProblemCode
        let body: String?
        /// A pointer into the body, or the name of a parameter.
        let place: String?

        init(
            _ method: HTTPRequest.Method,
            _ path: String,
            _ code: ProblemCode,
            _ body: String? = nil,
            at place: String? = nil
        ) {
            self.method = method
            self.path = path
            self.code = code
            self.body = body
            self.place = place
        }
    }

    private static let refused: [Refused] = [
        unknownMessages, gone, unknownConversations, formerMember, blocked, people, belongings, creations, inBodies,
    ].flatMap(\.self)

    // MARK: Messages

    private struct Route {
        let method: HTTPRequest.Method
        let path: String
        let body: String?

        init(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) {
            self.method = method
            self.path = path
            self.body = body
        }

        func refused(in place: String, _ code: ProblemCode) -> Refused {
            Refused(method, "\(place)\(path)", code, body)
        }
    }

    private static let thumb = "/reactions/%F0%9F%91%8D"
    private static let forward = Route(.post, "/forward", #"{"conversationIds": ["{group}"]}"#)
    private static let star = Route(.put, "/star")

    /// What changes a message for all, or says something of it to all.
    private static let messageChanges: [Route] = [
        Route(.patch, "", #"{"text": "Other"}"#), Route(.put, thumb), Route(.delete, thumb), Route(.put, "/pin"),
    ]
    private static let removals: [Route] = [
        Route(.delete, ""), Route(.delete, "?for=me"), Route(.delete, "/pin"),
    ]
    private static let messageReads: [Route] = [
        Route(.get, ""), Route(.get, "/receipts"), Route(.get, "/history"), star, Route(.delete, "/star"), forward,
    ]

    private static func message(_ message: String, in conversation: String) -> String {
        "/conversations/{\(conversation)}/messages/{\(message)}"
    }

    /// Messages that are not in the conversation, or in one that is not the caller's.
    private static let unknownMessages: [Refused] = [
        message("foreign", in: "group"), message("hidden", in: "group"), message("new", in: "group"),
        message("malformed", in: "group"), message("bob", in: "group"), message("hidden", in: "elsewhere"),
        message("mine", in: "elsewhere"), message("mine", in: "new"), message("mine", in: "malformed"),
    ].flatMap { place in
        (messageChanges + removals + messageReads).map { $0.refused(in: place, .notFound) }
    }

    private static let gone: [Refused] =
        (messageChanges + [star, forward]).map { $0.refused(in: message("gone", in: "group"), .forbidden) }
        + [Refused(.patch, message("theirs", in: "group"), .forbidden, #"{"text": "Other"}"#)]

    // MARK: Conversations

    private static let commands: [Route] = [
        Route(.patch, "", #"{"groupName": "Other"}"#), Route(.patch, "", #"{"retentionSeconds": 3600}"#),
        Route(.put, "/participants/{bob}", #"{"role": "admin"}"#), Route(.delete, "/participants/{bob}"),
        Route(.post, "/join"), Route(.post, "/leave"), Route(.post, "/invites", "{}"), Route(.get, "/invites"),
        Route(.delete, "/invites/{code}"), Route(.patch, "/me", #"{"archived": true}"#),
        Route(.patch, "/me", #"{"draft": "x"}"#), Route(.delete, "/me"), Route(.post, "/unread", #"{"fromSeq": 1}"#),
        Route(.post, "/typing", #"{"typing": true}"#), Route(.put, "/messages/{new}", #"{"text": "Hi"}"#),
        Route(.post, "/messages", #"{"text": "Hi"}"#),
        Route(.post, "/messages", #"{"messages": [{"text": "Hi"}, {"text": "Ho"}]}"#),
    ]
    private static let reads: [Route] = [
        Route(.get, ""), Route(.get, "/participants"), Route(.get, "/messages"), Route(.get, "/pins"),
    ]

    private static let unknownConversations: [Refused] = ["new", "elsewhere", "malformed"].flatMap { conversation in
        (commands + reads).map { $0.refused(in: "/conversations/{\(conversation)}", .notFound) }
    }

    /// Who may read what was said until the removal, and nothing more.
    private static let formerMember: [Refused] =
        commands.map { $0.refused(in: "/conversations/{left}", .forbidden) }
        + (messageChanges + removals).map { $0.refused(in: message("past", in: "left"), .forbidden) }

    // MARK: People

    private static let severed = "/conversations/{severed}"

    /// By somebody whom the caller has talked to, and by somebody else.
    private static let blocked: [Refused] = [
        Refused(.put, "\(severed)/messages/{new}", .forbidden, #"{"text": "Hi"}"#),
        Refused(.post, "\(severed)/messages", .forbidden, #"{"text": "Hi"}"#),
        Refused(.post, "\(severed)/messages", .forbidden, #"{"messages": [{"text": "Hi"}]}"#),
        Refused(.patch, "\(severed)/messages/{said}", .forbidden, #"{"text": "Other"}"#),
        Refused(.put, "\(severed)/messages/{answered}\(thumb)", .forbidden),
        Refused(.put, "\(severed)/messages/{answered}/pin", .forbidden),
        Refused(.patch, severed, .forbidden, #"{"retentionSeconds": 3600}"#),
        Refused(.put, "/conversations/direct/{blocker}", .notFound),
        Refused(.put, "/conversations/{group}/participants/{blocker}", .notFound),
        Refused(.put, "/conversations/{new}", .validationFailed, group(of: "bob", "blocker"), at: "/participantIds/1"),
    ]

    private static let people: [Refused] = ["new", "malformed", "group", "mine"].flatMap { person in
        [
            Refused(.put, "/conversations/direct/{\(person)}", .notFound),
            Refused(.get, "/users/{\(person)}", .notFound),
            Refused(.put, "/blocks/{\(person)}", .notFound),
            Refused(.delete, "/blocks/{\(person)}", .notFound),
            Refused(.put, "/conversations/{group}/participants/{\(person)}", .notFound),
            Refused(.delete, "/conversations/{group}/participants/{\(person)}", .notFound),
        ]
    }

    // MARK: What belongs to somebody else, or to nobody

    private static let belongings: [Refused] = [
        ("/attachments", "bobsFile"), ("/scheduled", "bobsScheduled"), ("/devices", "bobsDevice"),
        ("/sessions", "bobsSession"), ("/conversations/{group}/invites", "code"), ("/invites", "unknownCode"),
    ].flatMap { place, name in
        [name, "new", "malformed"].flatMap { id in
            routes(of: place).map { $0.refused(in: "\(place)/{\(id)}", .notFound) }
        }
    }

    private static func routes(of place: String) -> [Route] {
        switch place {
        case "/attachments": [Route(.get, ""), Route(.get, "/content"), Route(.delete, "")]
        case "/scheduled": [Route(.get, ""), Route(.delete, "")]
        case "/invites": [Route(.get, ""), Route(.post, "/join")]
        default: [Route(.delete, "")]
        }
    }

    /// Under ids that are others', or none.
    private static let creations: [Refused] = [
        Refused(.put, "/conversations/{elsewhere}", .idConflict, group(of: "bob", "eve")),
        Refused(.put, "/conversations/{bob}", .idConflict, group(of: "bob", "eve")),
        Refused(.put, "/conversations/x", .validationFailed, group(of: "bob", "eve"), at: "conversationId"),
        Refused(.put, message("theirs", in: "group"), .idConflict, #"{"text": "Hi"}"#),
        Refused(.put, "/conversations/{group}/messages/x", .validationFailed, #"{"text": "Hi"}"#, at: "messageId"),
        Refused(.put, "/scheduled/{theirs}", .idConflict, scheduled(in: "group")),
        Refused(.put, "/scheduled/x", .validationFailed, scheduled(in: "group"), at: "messageId"),
        Refused(.put, "/devices/x", .validationFailed, #"{"platform": "fcm", "token": "t"}"#, at: "deviceId"),
        // Of a group that the caller was removed from.
        Refused(.post, "/invites/{leftCode}/join", .forbidden),
    ]

    private static func group(of one: String, _ other: String) -> String {
        #"{"groupName": "X", "participantIds": ["{\#(one)}", "{\#(other)}"]}"#
    }

    private static func scheduled(in conversation: String) -> String {
        #"{"conversationId": "{\#(conversation)}", "sendAt": "{tomorrow}", "text": "Hi"}"#
    }

    // MARK: In bodies

    private static let inBodies: [Refused] = [
        Refused(.put, "/scheduled/{new}", .notFound, scheduled(in: "new")),
        Refused(.put, "/scheduled/{new}", .notFound, scheduled(in: "elsewhere")),
        Refused(.put, "/scheduled/{new}", .forbidden, scheduled(in: "left")),
        Refused(.put, "/scheduled/{new}", .validationFailed, scheduled(in: "malformed"), at: "/conversationId"),
        Refused(.post, "/search", .notFound, search("conversationId", "new")),
        Refused(.post, "/search", .notFound, search("conversationId", "elsewhere")),
        Refused(.post, "/search", .validationFailed, search("conversationId", "malformed"), at: "/conversationId"),
        Refused(.post, "/search", .validationFailed, search("senderId", "malformed"), at: "/senderId"),
        Refused(.post, "/reports", .notFound, report("group", "foreign")),
        Refused(.post, "/reports", .notFound, report("elsewhere", "hidden")),
        Refused(.post, "/reports", .notFound, report("group", "new")),
        Refused(.post, "/reports", .validationFailed, report("group", "malformed"), at: "/messageId"),
        Refused(.post, "/reports", .notFound, #"{"userId": "{new}", "reason": "spam"}"#),
        Refused(.post, "/reports", .validationFailed, #"{"userId": "x", "reason": "spam"}"#, at: "/userId"),
        Refused(.put, newMessage, .validationFailed, answer(to: "foreign"), at: "/replyToId"),
        Refused(.put, newMessage, .validationFailed, answer(to: "hidden"), at: "/replyToId"),
        Refused(.put, newMessage, .validationFailed, #"{"attachmentIds": ["{bobsFile}"]}"#, at: "/attachmentIds/0"),
        Refused(.patch, "/conversations/{group}", .validationFailed, #"{"groupIcon": "{bobsFile}"}"#, at: "/groupIcon"),
        Refused(.patch, "/me", .validationFailed, #"{"photoURL": "{bobsFile}"}"#, at: "/photoURL"),
        Refused(
            .post,
            "\(message("mine", in: "group"))/forward",
            .validationFailed,
            #"{"conversationIds": ["x"]}"#,
            at: "/conversationIds/0"
        ),
        Refused(
            .post,
            "/receipts",
            .validationFailed,
            #"{"receipts": [{"conversationId": "x", "readSeq": 1}]}"#,
            at: "/receipts/0/conversationId"
        ),
        Refused(.get, "/conversations/{group}/messages?around={foreign}", .notFound),
        Refused(.post, "/conversations/{group}/unread", .validationFailed, #"{"fromSeq": 99}"#, at: "/fromSeq"),
    ]

    private static let newMessage = message("new", in: "group")

    private static func search(_ field: String, _ id: String) -> String {
        #"{"query": "Hi", "\#(field)": "{\#(id)}"}"#
    }

    private static func report(_ conversation: String, _ message: String) -> String {
        #"{"conversationId": "{\#(conversation)}", "messageId": "{\#(message)}", "reason": "spam"}"#
    }

    private static func answer(to message: String) -> String {
        #"{"text": "Hi", "replyToId": "{\#(message)}"}"#
    }

    // MARK: The scene

    /// Conversations with and without the caller, and what belongs to others.
    private struct Scene {
        let server: TestServer
        let caller: Person
        private var names = ["malformed": "x", "tomorrow": Timestamp.format(Date().addingTimeInterval(86_400))]

        init(_ server: TestServer) async throws {
            self.server = server
            caller = try await server.register("Ada")
            let (bob, eve) = (try await server.register("Bob"), try await server.register("Eve"))
            names["bob"] = "\(bob.id)"
            names["eve"] = "\(eve.id)"
            names["unknownCode"] = InviteCode(of: UUID()).text
            try await talkInGroups(bob, eve)
            try await beBlocked(by: try await server.register("Mallory"), by: try await server.register("Nigel"))
            try await own(bob)
        }

        private mutating func talkInGroups(_ bob: Person, _ eve: Person) async throws {
            let dan = try await server.register("Dan")
            let group = try await caller.startGroup(with: [bob, eve]).id
            let second = try await caller.startGroup(with: [bob, eve]).id
            let elsewhere = try await bob.startGroup(with: [eve, dan]).id
            let left = try await bob.startGroup(with: [caller, eve]).id
            for (name, id) in [("group", group), ("elsewhere", elsewhere), ("left", left)] { names[name] = "\(id)" }
            names["mine"] = "\(try await caller.say("Mine", in: group).id)"
            names["theirs"] = "\(try await bob.say("Theirs", in: group).id)"
            names["foreign"] = "\(try await caller.say("Foreign", in: second).id)"
            names["hidden"] = "\(try await bob.say("Hidden", in: elsewhere).id)"
            names["past"] = "\(try await caller.say("Past", in: left).id)"
            let gone = try await caller.say("Gone", in: group)
            names["gone"] = "\(gone.id)"
            #expect(try await caller.send(.delete, gone.path).status == .noContent)
            for (name, id) in [("code", elsewhere), ("leftCode", left)] {
                let invite = try await bob.send(.post, "/v1/conversations/\(id)/invites", body: .object([:]))
                names[name] = try invite.decode(ParleyWire.Invite.self, status: .created).code
            }
            let removal = "/v1/conversations/\(left)/participants/\(caller.id)"
            #expect(try await bob.send(.delete, removal).status == .noContent)
        }

        private mutating func beBlocked(by friend: Person, by stranger: Person) async throws {
            let severed = try await caller.talk(to: friend).id
            names["severed"] = "\(severed)"
            names["said"] = "\(try await caller.say("Said", in: severed).id)"
            names["answered"] = "\(try await friend.say("Answered", in: severed).id)"
            names["blocker"] = "\(stranger.id)"
            for person in [friend, stranger] {
                #expect(try await person.send(.put, "/v1/blocks/\(caller.id)").status == .created)
            }
        }

        private mutating func own(_ bob: Person) async throws {
            names["bobsFile"] = "\(try await bob.upload(Array("Dear diary".utf8)).id)"
            names["bobsSession"] = "\(bob.session.session.id)"
            let (device, later) = (WireID(), WireID())
            names["bobsDevice"] = "\(device)"
            let address: JSONValue = .object(["platform": .string("fcm"), "token": .string("t")])
            #expect(try await bob.send(.put, "/v1/devices/\(device)", body: address).status == .created)
            names["bobsScheduled"] = "\(later)"
            let body = fill(BadIDsTests.scheduled(in: "group"))
            #expect(try await bob.send(.put, "/v1/scheduled/\(later)", text: body).status == .created)
        }

        func fill(_ text: String) -> String {
            names.reduce(text) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
                .replacingOccurrences(of: "{new}", with: "\(WireID())")
        }

        func expect(_ request: Refused) async throws {
            let name: Comment = "\(request.method) \(request.path) \(request.body ?? "")"
            let path = fill("/v1\(request.path)")
            let answer = try await caller.send(request.method, path, text: request.body.map(fill))
            let problem = try answer.problem()
            #expect(problem.knownCode == request.code && answer.status.code == request.code.status, name)
            guard let place = request.place else { return }
            let places = (problem.errors ?? []).map { $0.pointer ?? $0.parameter }
            #expect(places.contains(place), name)
        }

        /// How much there is: of events in each partition, and beside the log.
        func stored() async throws -> [Int64] {
            var counts = try await server.eventStore.log.heads()
            let tables: [SQL] = [
                "parley.stars", "parley.reports", "parley.scheduled_messages", "parley.attachments", "parley.drafts",
                "parley.devices",
            ]
            for table in tables {
                let rows = try await TestDatabase.current.administrator.query("SELECT count(*) AS n FROM \(table)")
                counts.append(try rows.first?.decode("n") ?? 0)
            }
            return counts
        }
    }
}
