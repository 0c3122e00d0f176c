import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import API

/// What the answer to a send shows of the message that is quoted, over HTTP.
@Suite(.database, .timeLimit(.minutes(10))) struct QuotingTests {
    private func answer(_ quoted: Message, _ text: String = "About it") -> JSONValue {
        .object(["text": .string(text), "replyToId": .string("\(quoted.id)")])
    }

    /// What the answers to each way of sending quote, and what is read of the messages then.
    private func quotes(of message: Message, by person: Person, after answer: Answer) async throws -> [String?] {
        _ = try await person.get(Message.self, message.path, after: answer)
        let path = "/v1/conversations/\(message.conversationId)/messages"
        let batch: JSONValue = .object(["messages": .array([self.answer(message), self.answer(message)])])
        let put = try await person.send(.put, "\(path)/\(WireID())", body: self.answer(message))
        let post = try await person.send(.post, path, body: self.answer(message))
        let several = try await person.send(.post, path, body: batch)
        let sent =
            try [put, post].map { try $0.decode(Message.self, status: .created) }
            + several.decode(MessagesAnswer.self, status: .created).items
        for new in sent {
            #expect(new.replyTo?.id == message.id && new.replyTo?.seq == message.seq)
            #expect(try await person.get(Message.self, new.path, after: several).replyTo == new.replyTo)
        }
        return sent.map { $0.replyTo?.text }
    }

    @Test func `an edited message is quoted with its newest text`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let sent = try await ada.say("Draft", in: try await ada.talk(to: bob).id)
            _ = try await ada.edit(sent, to: "Better")
            let edited = try await ada.edit(sent, to: "Best")
            for person in [ada, bob] {
                let quotes = try await quotes(of: sent, by: person, after: edited)
                #expect(quotes == Array(repeating: "Best", count: 4))
            }
        }
    }

    @Test func `of a deleted message nothing is quoted`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let sent = try await ada.say("Gone", in: try await ada.talk(to: bob).id)
            _ = try await ada.edit(sent, to: "Gone, too")
            let deleted = try await ada.send(.delete, "\(sent.path)?for=everyone")
            for person in [ada, bob] {
                let quotes = try await quotes(of: sent, by: person, after: deleted)
                #expect(quotes == Array(repeating: nil, count: 4))
            }
        }
    }

    @Test func `of what one has deleted for oneself, one quotes nothing to oneself`() async throws {
        try await TestServer.with { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let sent = try await ada.say("Not for him", in: try await ada.talk(to: bob).id)
            let hidden = try await bob.send(.delete, "\(sent.path)?for=me")
            #expect(try await quotes(of: sent, by: bob, after: hidden) == Array(repeating: nil, count: 4))
            #expect(try await quotes(of: sent, by: ada, after: hidden) == Array(repeating: "Not for him", count: 4))
        }
    }

    @Test func `before the read models show it, it is quoted as the log has it`() async throws {
        try await TestServer.with {
            $0.isProjecting = false
        } _: { server in
            let (ada, bob) = (try await server.register(), try await server.register())
            let start = try await ada.send(.put, "/v1/conversations/direct/\(bob.id)")
            #expect(start.status == .created)
            let id = try start.decode(Conversation.self).id
            let sent = try await ada.say("Draft", in: id)
            func quote() async throws -> ReplyTo? {
                let path = "/v1/conversations/\(id)/messages/\(WireID())"
                return try await ada.send(.put, path, body: answer(sent)).decode(Message.self, status: .created).replyTo
            }
            #expect(try await quote()?.text == "Draft")
        }
    }
}
