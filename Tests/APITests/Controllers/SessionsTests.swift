import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@Suite(.database) struct SessionsTests {
    private static func login(_ person: Person, _ device: String? = nil) async throws -> Person {
        var body = ["email": person.email, "password": "correct horse"]
        body["deviceName"] = device
        let session = try await person.server.send(
            .post,
            "/v1/auth/login",
            body: .object(body.mapValues { .string($0) })
        )
        .decode(Session.self, status: .ok)
        return Person(server: person.server, session: session, email: person.email)
    }

    private static func list(_ person: Person, _ query: String = "") async throws -> ListPage<ListedSession> {
        try await person.get(ListPage<ListedSession>.self, "/v1/sessions\(query)")
    }

    @Test func `the devices of a person are listed, the newest first, page by page`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let phone = try await Self.login(ada, "Phone")
            let tablet = try await Self.login(ada, "Tablet")
            _ = try await server.register("Bob")
            let all = try await Self.list(phone)
            #expect(all.items.map(\.id) == [tablet, phone, ada].map(\.session.session.id))
            #expect(all.items.map(\.deviceName) == ["Tablet", "Phone", nil])
            #expect(all.items.map(\.current) == [false, true, false])
            #expect(all.items.map(\.createdAt) == [tablet, phone, ada].map(\.session.session.createdAt))
            #expect(all.nextCursor == nil)
            let first = try await Self.list(phone, "?limit=2")
            #expect(first.items == Array(all.items.prefix(2)))
            let cursor = try #require(first.nextCursor)
            let second = try await Self.list(phone, "?limit=2&cursor=\(cursor)")
            #expect(second.items == [all.items[2]])
            #expect(second.nextCursor == nil)
            for cursor in ["x", "AA", String(repeating: "A", count: 4_000), "%00"] {
                try await phone.send(.get, "/v1/sessions?cursor=\(cursor)").expect(
                    .validationFailed,
                    parameter: "cursor"
                )
            }
            try await phone.send(.get, "/v1/sessions?limit=201").expect(.validationFailed, parameter: "limit")
        }
    }

    @Test func `a session is ended by its owner alone, and its tokens with it`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let phone = try await Self.login(ada, "Phone")
            let bob = try await server.register("Bob")
            let path = "/v1/sessions/\(phone.session.session.id)"
            try await bob.send(.delete, path).expect(.notFound)
            #expect(try await phone.send(.get, "/v1/me").status == .ok)
            for _ in 0..<2 { #expect(try await ada.send(.delete, path).status == .noContent) }
            try await phone.send(.get, "/v1/me").expect(.unauthenticated)
            let refresh: JSONValue = .object(["refreshToken": .string(phone.session.refreshToken)])
            try await server.send(.post, "/v1/auth/refresh", body: refresh).expect(.unauthenticated)
            #expect(try await Self.list(ada).items.map(\.id) == [ada.session.session.id])
            try await ada.send(.delete, "/v1/sessions/\(WireID())").expect(.notFound)
            try await ada.send(.delete, "/v1/sessions/none").expect(.notFound)
            let own = "/v1/sessions/\(ada.session.session.id)"
            #expect(try await ada.send(.delete, own).status == .noContent)
            try await ada.send(.delete, own).expect(.unauthenticated)
        }
    }

    @Test func `all others end, and with them the own one where that is wanted`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let phone = try await Self.login(ada)
            let tablet = try await Self.login(ada)
            let bob = try await server.register("Bob")
            #expect(try await tablet.send(.delete, "/v1/sessions").status == .noContent)
            try await ada.send(.get, "/v1/me").expect(.unauthenticated)
            try await phone.send(.get, "/v1/me").expect(.unauthenticated)
            try await tablet.send(.delete, "/v1/sessions?all=yes").expect(.validationFailed, parameter: "all")
            let other = try await Self.login(ada)
            #expect(try await tablet.send(.delete, "/v1/sessions?all=true").status == .noContent)
            try await tablet.send(.get, "/v1/me").expect(.unauthenticated)
            try await other.send(.get, "/v1/me").expect(.unauthenticated)
            #expect(try await bob.send(.get, "/v1/me").status == .ok)
        }
    }

    @Test func `a changed password ends the other sessions and is the only one`() async throws {
        try await TestServer.with { server in
            let ada = try await server.register("Ada")
            let phone = try await Self.login(ada)
            func change(_ current: String?, _ new: String?) async throws -> Answer {
                var body: [String: String] = [:]
                body["currentPassword"] = current
                body["newPassword"] = new
                let object: JSONValue = .object(body.mapValues { .string($0) })
                return try await phone.send(.post, "/v1/auth/password/change", body: object)
            }
            try await change("wrong horse", "better battery").expect(.invalidCredentials)
            try await change("correct horse", "short").expect(.validationFailed, pointer: "/newPassword")
            try await change("correct horse", nil).expect(.validationFailed, pointer: "/newPassword")
            try await change(nil, "better battery").expect(.validationFailed, pointer: "/currentPassword")
            try await change("", "better battery").expect(.invalidCredentials)
            #expect(try await ada.send(.get, "/v1/me").status == .ok)
            #expect(try await change("correct horse", "better battery").status == .noContent)
            try await ada.send(.get, "/v1/me").expect(.unauthenticated)
            #expect(try await phone.send(.get, "/v1/me").status == .ok)
            func login(_ password: String) async throws -> Answer {
                let body: JSONValue = .object(["email": .string(ada.email), "password": .string(password)])
                return try await server.send(.post, "/v1/auth/login", body: body)
            }
            try await login("correct horse").expect(.invalidCredentials)
            #expect(try await login("better battery").status == .ok)
        }
    }
}
