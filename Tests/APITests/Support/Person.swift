import Foundation
import HTTPTypes
import ParleyWire
import TestSupport
import Testing

@testable import Edge

/// Somebody who is signed in to a test's server.
struct Person: Sendable {
    let server: TestServer
    let session: Session
    let email: String

    var id: WireID { session.user.id }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        body: JSONValue? = nil
    ) async throws -> Answer {
        try await server.send(method, path, headers: signed(headers), body: body)
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        text: String?
    ) async throws -> Answer {
        try await server.send(method, path, headers: signed(headers), text: text)
    }

    private func signed(_ headers: HTTPFields) -> HTTPFields {
        var headers = headers
        headers[.authorization] = "Bearer \(session.accessToken)"
        return headers
    }
}

extension Person {
    /// Changes the own name, and waits until it is seen by all: it may be in another partition than what it is seen in.
    func rename(to name: String) async throws {
        let answer = try await send(.patch, "/v1/me", body: .object(["displayName": .string(name)]))
        _ = try await get(ServerInfo.self, "/v1/server", after: answer)
    }

    /// Starts the direct conversation with somebody, or gets it.
    func talk(to other: Person) async throws -> Conversation {
        try await send(.put, "/v1/conversations/direct/\(other.id)").decode(Conversation.self)
    }

    func startGroup(
        _ id: WireID = WireID(),
        with others: [Person],
        joinPolicy: GroupJoinPolicy = .invite
    ) async throws -> Conversation {
        let body: JSONValue = .object([
            "groupName": .string("Friends"), "participantIds": .array(others.map { .string("\($0.id)") }),
            "joinPolicy": .string(joinPolicy.rawValue),
        ])
        return try await send(.put, "/v1/conversations/\(id)", body: body).decode(Conversation.self)
    }

    @discardableResult
    func say(_ text: String, in conversation: WireID, id: WireID = WireID()) async throws -> Message {
        SecretWatch.add(text)
        let path = "/v1/conversations/\(conversation)/messages/\(id)"
        return try await send(.put, path, body: .object(["text": .string(text)])).decode(Message.self)
    }

    /// Reads, with at least what the answer's command did.
    func get<Value: Decodable>(_ type: Value.Type, _ path: String, after answer: Answer? = nil) async throws -> Value {
        var headers: HTTPFields = [:]
        if let position = answer?[ParleyHeader.position], let name = HTTPField.Name(ParleyHeader.waitFor) {
            headers[name] = position
        }
        return try await send(.get, path, headers: headers).decode(type)
    }
}

extension Person {
    func edit(_ message: Message, to text: String) async throws -> Answer {
        if text.count > 2 { SecretWatch.add(text) }
        return try await send(.patch, message.path, body: .object(["text": .string(text)]))
    }
}

extension Message {
    var path: String { "/v1/conversations/\(conversationId)/messages/\(id)" }

    init(_ other: Message, id: WireID) {
        self = other
        self.id = id
    }
}
