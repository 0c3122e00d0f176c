import Foundation
import ParleyWire
import Testing

struct ContractTests {
    /// Decodes a sample, and expects that encoding gives the same JSON again: no field lost, no null left out.
    private func roundTrip<Value: Codable & Hashable>(_ type: Value.Type, _ json: String) throws -> Value {
        let value = try decoded(type, json)
        #expect(try decoded(JSONValue.self, encoded(value)) == decoded(JSONValue.self, json))
        return value
    }

    @Test func `the conversation of the contract reads and writes`() throws {
        let conversation = try roundTrip(Conversation.self, ContractSamples.conversation)
        #expect(conversation.type == .direct)
        #expect(conversation.lastMessage?.seq == 120)
        #expect(conversation.participants?.first?.displayName == "Ada")
        #expect(conversation.me.readSeq == 118)
    }

    @Test func `participants are absent above the limit, not null`() throws {
        var conversation = try decoded(Conversation.self, ContractSamples.conversation)
        conversation.participants = nil
        conversation.participantIds = nil
        let keys = try keys(of: conversation)
        #expect(!keys.contains("participants"))
        #expect(!keys.contains("participantIds"))
        #expect(keys.contains("groupName"))
    }

    @Test func `the message of the contract reads and writes`() throws {
        let message = try roundTrip(Message.self, ContractSamples.message)
        #expect(message.status == .sent)
        #expect(message.deliveredTo == [:])
        #expect(message.timestamp == Timestamp.parse(ContractSamples.time))
    }

    @Test func `others see null in the fields of one's own messages`() throws {
        var message = try decoded(Message.self, ContractSamples.message)
        message.status = nil
        message.recipientCount = nil
        message.deliveredCount = nil
        message.readCount = nil
        message.deliveredTo = nil
        message.readBy = nil
        let object = try decoded([String: JSONValue].self, encoded(message))
        for field in ["status", "recipientCount", "deliveredCount", "readCount", "deliveredTo", "readBy"] {
            #expect(object[field] == .null, "\(field)")
        }
    }

    @Test func `delivery maps are objects from person to time`() throws {
        var message = try decoded(Message.self, ContractSamples.message)
        let bob = try #require(WireID(ContractSamples.bob))
        message.deliveredTo = [bob: message.timestamp]
        let object = try decoded([String: JSONValue].self, encoded(message))
        #expect(object["deliveredTo"] == .object([bob.description: .string(ContractSamples.time)]))
        #expect(try decoded(Message.self, encoded(message)) == message)
    }

    @Test func `a user reads and writes`() throws {
        let user = try roundTrip(User.self, ContractSamples.user)
        #expect(user.presence.status == .online)
    }

    @Test func `unknown fields and names are ignored`() throws {
        let json = ContractSamples.user
            .replacingOccurrences(of: "\"online\"", with: "\"dreaming\"")
            .replacingOccurrences(of: "\"displayName\"", with: "\"mood\": [1, {\"a\": null}], \"displayName\"")
        let user = try decoded(User.self, json)
        #expect(user.presence.status.rawValue == "dreaming")
        #expect(user.displayName == "Ada")
    }

    @Test func `an item of a receipts answer carries marks or a code`() throws {
        let id = try #require(WireID(ContractSamples.conversationID))
        let marks = ReceiptsAnswer.Item(conversationId: id, deliveredSeq: 3, readSeq: 2, unreadCount: 1)
        #expect(try keys(of: marks) == ["conversationId", "deliveredSeq", "readSeq", "unreadCount"])
        #expect(
            try encoded(ReceiptsAnswer.Item(conversationId: id, code: .notFound))
                == #"{"code":"notFound","conversationId":"\#(id)"}"#
        )
    }

    @Test func `a list says null on its last page`() throws {
        let page = ListPage<Int>(items: [1], nextCursor: nil)
        #expect(try encoded(page) == #"{"items":[1],"nextCursor":null}"#)
    }

    @Test func `slashes are not escaped`() throws {
        #expect(try encoded(["https://a/b"]) == #"["https://a/b"]"#)
    }
}
