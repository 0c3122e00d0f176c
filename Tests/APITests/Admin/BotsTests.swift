import EventStore
import Foundation
import HTTPTypes
import Identity
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import API

@Suite(.database) struct `Bots` {
    @Test func `take part as people do, and are told apart from them`() async throws {
        try await Operated.with { operated in
            let ada = try await operated.server.register("Ada")
            let bot = try await operated.makeBot("Support")
            let conversation = try await ada.send(.put, "/v1/conversations/direct/\(bot.id)").decode(Conversation.self)
            let path = "/v1/conversations/\(conversation.id)/messages"
            let said = try await bot.send(.post, path, body: .object(["text": .string("Hello, I am a bot")]))
            #expect(try said.decode(Message.self, status: .created).senderId == bot.id)

            let user = try await ada.get(User.self, "/v1/users/\(bot.id)")
            #expect(user.isBot == true && user.displayName == "Support")
            #expect(try await ada.get(User.self, "/v1/users/\(ada.id)").isBot == nil)
            let seen = try await ada.get(Conversation.self, "/v1/conversations/\(conversation.id)")
            #expect(seen.participants?.first { $0.userId == bot.id }?.isBot == true)
            #expect(seen.participants?.first { $0.userId == ada.id }?.isBot == nil)
            #expect(seen.users?[bot.id]?.isBot == true)
            #expect(try await ada.get(HistoryPage.self, path).users?[bot.id]?.isBot == true)
            #expect(try await bot.send(.get, "/v1/me").decode(Me.self).id == bot.id)
        }
    }

    @Test func `are known by a token that the database does not have`() async throws {
        try await Operated.with { operated in
            let bot = try await operated.makeBot("Helper")
            #expect(bot.token.hasPrefix("parley_bot_"))
            #expect(try await bot.send(.get, "/v1/me").status == .ok)
            let other = try await operated.makeBot("Other")
            let prefix = "parley_bot_"
            let bytes = try #require(Base64URL.decode(bot.token.dropFirst(prefix.count)))
            let others = try #require(Base64URL.decode(other.token.dropFirst(prefix.count)))
            // The id of one, which has 16 bytes, with the secret of the other.
            let mixed = prefix + Base64URL.encode(bytes.prefix(16) + others.dropFirst(16))
            let forged = MadeBot(server: operated.server, id: bot.id, tokenID: bot.tokenID, token: mixed)
            try await forged.send(.get, "/v1/me").expect(.unauthenticated)
            let rows = try await operated.server.eventStore.pool.query("SELECT t::text FROM parley.bot_tokens t")
            #expect(rows.count == 2)
            let texts = try rows.map { try $0.decode(0, as: String.self) }
            // Bytes are shown as hexadecimal digits.
            let secret = bytes.dropFirst(16).map { String(format: "%02x", $0) }.joined()
            #expect(texts.allSatisfy { !$0.contains(bot.token.suffix(20)) && !$0.contains(secret) })
        }
    }

    @Test func `do what their token allows`() async throws {
        try await Operated.with { operated in
            let ada = try await operated.server.register("Ada")
            let reader = try await operated.makeBot("Reader", scopes: [.read])
            let writer = try await operated.makeBot("Writer", scopes: [.write])
            let conversation = try await ada.send(.put, "/v1/conversations/direct/\(reader.id)").decode(
                Conversation.self
            )
            let path = "/v1/conversations/\(conversation.id)"
            let text: JSONValue = .object(["text": .string("Hi")])
            let marks: JSONValue = .object([
                "receipts": .array([.object(["conversationId": .string("\(conversation.id)"), "readSeq": .number(1)])])
            ])
            try await ada.say("Good morning, Reader", in: conversation.id)
            #expect(try await reader.send(.get, "\(path)/messages").status == .ok)
            #expect(try await reader.send(.post, "/v1/receipts", body: marks).status == .ok)
            try await reader.send(.post, "\(path)/messages", body: text).expect(.forbidden)
            try await reader.send(.post, "\(path)/leave").expect(.forbidden)
            let other = try await ada.send(.put, "/v1/conversations/direct/\(writer.id)").decode(Conversation.self)
            let sent = try await writer.send(.post, "/v1/conversations/\(other.id)/messages", body: text)
            #expect(sent.status == .created)
            try await writer.send(.get, "/v1/me").expect(.forbidden)
        }
    }

    @Test func `end none of their tokens themselves`() async throws {
        try await Operated.with { operated in
            let bot = try await operated.makeBot("Helper")
            try await bot.send(.post, "/v1/auth/logout").expect(.forbidden)
            for path in ["", "?all=true", "/\(bot.tokenID)", "/\(WireID())"] {
                try await bot.send(.delete, "/v1/sessions\(path)").expect(.forbidden)
            }
            #expect(try await bot.send(.get, "/v1/me").status == .ok)
        }
    }

    @Test func `have neither a password nor a mail`() async throws {
        try await Operated.with { operated in
            let bot = try await operated.makeBot("Helper")
            let email = "\(bot.id)@bots.invalid"
            for password in ["", "correct horse"] {
                let body: JSONValue = .object(["email": .string(email), "password": .string(password)])
                try await operated.server.send(.post, "/v1/auth/login", body: body).expect(.invalidCredentials)
            }
            try await bot.send(.post, "/v1/auth/email/resend").expect(.forbidden)
            let change: JSONValue = .object(["currentPassword": .string(""), "newPassword": .string("correct horse 2")])
            try await bot.send(.post, "/v1/auth/password/change", body: change).expect(.forbidden)
            try await bot.send(.delete, "/v1/me", body: .object(["password": .string("")])).expect(.forbidden)
        }
    }

    @Test func `have limits of their own`() async throws {
        try await Operated.with(.act) {
            let day = Duration.seconds(86_400)
            $0.rates = [.bot: RateLimit(4, per: day), .botSend: RateLimit(1, per: day), .read: RateLimit(1, per: day)]
        } _: { operated in
            let ada = try await operated.server.register()
            let bot = try await operated.makeBot("Helper")
            let conversation = try await ada.send(.put, "/v1/conversations/direct/\(bot.id)").decode(Conversation.self)
            let path = "/v1/conversations/\(conversation.id)/messages"
            let text: JSONValue = .object(["text": .string("Hi")])
            #expect(try await bot.send(.post, path, body: text).status == .created)
            try await bot.send(.post, path, body: text).expect(.rateLimited)
            for _ in 0..<4 { #expect(try await bot.send(.get, "/v1/me").status == .ok) }
            try await bot.send(.get, "/v1/me").expect(.rateLimited)
            let limits = try await bot.send(.get, "/v1/rate-limits").decode(RateLimitsAnswer.self)
            #expect(Set(limits.items.map(\.policy)) == ["bot", "bot-send"])
            let people = try await ada.send(.get, "/v1/rate-limits").decode(RateLimitsAnswer.self)
            #expect(people.items.allSatisfy { !$0.policy.hasPrefix("bot") })
        }
    }

    @Test func `are out at once when their token is revoked, or they are deactivated`() async throws {
        try await Operated.with { operated in
            let bot = try await operated.makeBot("Helper")
            let path = "/admin/v1/bots/\(bot.id)"
            let second = try await operated.send(.post, "\(path)/tokens", body: .object(["name": .string("backup")]))
                .decode(ListedBot.Token.self, status: .created)
            #expect(second.name == "backup" && second.scopes == ["read", "write"])
            let other = MadeBot(server: operated.server, id: bot.id, tokenID: second.id, token: second.token ?? "")
            #expect(try await operated.send(.delete, "\(path)/tokens/\(bot.tokenID)").status == .noContent)
            try await bot.send(.get, "/v1/me").expect(.unauthenticated)
            #expect(operated.server.identity.revocations.isRevoked(bot.tokenID.uuid))
            #expect(try await other.send(.get, "/v1/me").status == .ok)

            #expect(try await operated.server.identity.deactivate(bot.id.uuid))
            try await other.send(.get, "/v1/me").expect(.unauthenticated)
            try await operated.send(.post, "\(path)/tokens").expect(.notFound)
            let listed = try await operated.send(.get, path).decode(ListedBot.self)
            #expect(listed.deactivated && listed.tokens.isEmpty && listed.createdBy == "deploy")
        }
    }

    @Test func `are made, listed and refused with reasons`() async throws {
        try await Operated.with { operated in
            for body: JSONValue in [.object([:]), .object(["displayName": .string("x")])] {
                let refused = try await operated.send(.post, "/admin/v1/bots", body: body)
                try refused.expect(.validationFailed, pointer: "/displayName")
            }
            var made: [WireID] = []
            for number in 1...3 { made.append(try await operated.makeBot("Helper \(number)").id) }
            let first = try await operated.send(.get, "/admin/v1/bots?limit=2").decode(ListPage<ListedBot>.self)
            #expect(Set(made).isSuperset(of: first.items.map(\.id)) && first.items.count == 2)
            let rest = try await operated.send(.get, "/admin/v1/bots?cursor=\(try #require(first.nextCursor))")
                .decode(ListPage<ListedBot>.self)
            #expect(Set(first.items.map(\.id) + rest.items.map(\.id)) == Set(made) && rest.nextCursor == nil)
            // What is listed opens nothing.
            #expect(first.items.flatMap(\.tokens).allSatisfy { $0.token == nil })

            let path = "/admin/v1/bots/\(made[0])/tokens"
            for scopes: JSONValue in [.array([]), .array([.string("fly")])] {
                let body: JSONValue = .object(["scopes": scopes])
                #expect(try await operated.send(.post, path, body: body).problem().knownCode == .validationFailed)
            }
            let ada = try await operated.server.register("Ada")
            try await operated.send(.post, "/admin/v1/bots/\(ada.id)/tokens").expect(.notFound)
            try await operated.send(.get, "/admin/v1/bots/\(ada.id)").expect(.notFound)
            for _ in 1..<20 { #expect(try await operated.send(.post, path).status == .created) }
            try await operated.send(.post, path).expect(.validationFailed)
        }
    }
}
