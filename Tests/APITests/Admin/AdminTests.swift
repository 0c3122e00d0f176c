import Foundation
import HTTPTypes
import Identity
import ParleyWire
import TestSupport
import Testing

@testable import API

@Suite(.database) struct `The operators' API` {
    @Test func `is for operators alone, and on their port alone`() async throws {
        try await Operated.with { operated in
            let ada = try await operated.server.register("Ada")
            for path in ["/admin/v1/audit", "/admin/v1/bots", "/admin/v1/reports"] {
                #expect(try await operated.send(.get, path).status == .ok)
                for token in [
                    "", "nonsense", ada.session.accessToken, "parley_op_" + String(repeating: "A", count: 64),
                ] {
                    try await operated.send(.get, path, token: token).expect(.unauthenticated)
                }
                try await operated.server.send(.get, path).expect(.notFound)
                try await ada.send(.get, path).expect(.notFound)
            }
        }
    }

    @Test func `changes nothing for who may only read`() async throws {
        try await Operated.with(.read) { operated in
            #expect(try await operated.send(.get, "/admin/v1/bots").status == .ok)
            let body: JSONValue = .object(["displayName": .string("Helper")])
            try await operated.send(.post, "/admin/v1/bots", body: body).expect(.forbidden)
            try await operated.send(.delete, "/admin/v1/bots/\(WireID())/tokens/\(WireID())").expect(.forbidden)
            let note: JSONValue = .object(["note": .string("Closed the account")])
            try await operated.send(.post, "/admin/v1/reports/\(WireID())/close", body: note).expect(.forbidden)
            let audit = try await operated.send(.get, "/admin/v1/audit").decode(ListPage<ListedAct>.self)
            #expect(audit.items.map(\.action) == ["operator.create"])
        }
    }

    @Test func `does not let tokens be guessed`() async throws {
        try await Operated.with(.act) {
            $0.rates = [.forgedToken: RateLimit(3, per: .seconds(86_400))]
        } _: { operated in
            let guess = "parley_op_" + String(repeating: "A", count: 64)
            for _ in 0..<3 { try await operated.send(.get, "/admin/v1/audit", token: guess).expect(.unauthenticated) }
            let refused = try await operated.send(.get, "/admin/v1/audit", token: guess)
            try refused.expect(.rateLimited)
            #expect(refused["Retry-After"] != nil)
        }
    }

    @Test func `tells in pages what was done, by whom and with what`() async throws {
        try await Operated.with { operated in
            let bot = try await operated.makeBot("Helper")
            let path = "/admin/v1/bots/\(bot.id)/tokens/\(bot.tokenID)"
            #expect(try await operated.send(.delete, path).status == .noContent)
            let first = try await operated.send(.get, "/admin/v1/audit?limit=2").decode(ListPage<ListedAct>.self)
            #expect(first.items.map(\.action) == ["bot.token.revoke", "bot.token.create"])
            #expect(first.items.allSatisfy { $0.operator == "deploy" && $0.target == "\(bot.id)/\(bot.tokenID)" })
            let cursor = try #require(first.nextCursor)
            let second = try await operated.send(.get, "/admin/v1/audit?cursor=\(cursor)").decode(
                ListPage<ListedAct>.self
            )
            #expect(second.items.map(\.action) == ["bot.create", "operator.create"])
            #expect(second.items.map(\.operator) == ["deploy", "console:test"] && second.nextCursor == nil)
            try await operated.send(.get, "/admin/v1/audit?cursor=x").expect(.validationFailed, parameter: "cursor")
        }
    }
}
