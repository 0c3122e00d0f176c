import Foundation
import Testing

/// Somebody who has registered with a running server.
struct Person {
    let id: String
    let client: Client
    let refreshToken: String

    /// What Ada registers with, and signs in with.
    static let registration = #"{"email":"ada@example.org","password":"correct horse","displayName":"Ada"}"#

    static func register(_ email: String, _ name: String, on server: ParleyProcess) async throws -> Person {
        let body = #"{"email":"\#(email)","password":"correct horse","displayName":"\#(name)"}"#
        let answer = try await Client(port: server.port).send("POST", "/v1/auth/register", body)
        try #require(answer.status == 201, "\(answer.body)")
        let claims = try #require(answer.value("accessToken")?.split(separator: ".").dropFirst().first)
        return Person(
            id: try subject(of: String(claims)),
            client: Client(port: try server.port, token: answer.value("accessToken")),
            refreshToken: try #require(answer.value("refreshToken"))
        )
    }

    private static func subject(of claims: String) throws -> String {
        var base64 = claims.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        let object = try JSONSerialization.jsonObject(with: try #require(Data(base64Encoded: base64)))
        return try #require((object as? [String: Any])?["sub"] as? String)
    }

    /// Begins a conversation with one other person, and returns its id.
    func startDirect(with other: Person) async throws -> String {
        let answer = try await client.send("PUT", "/v1/conversations/direct/\(other.id)")
        return try #require(answer.value("id"), "\(answer.body)")
    }

    func say(_ text: String, in conversation: String) async throws {
        let path = "/v1/conversations/\(conversation)/messages/\(UUID())"
        let answer = try await client.send("PUT", path, #"{"text":"\#(text)"}"#)
        try #require(answer.status == 201, "\(answer.body)")
    }

    func history(of conversation: String) async throws -> String {
        try await client.send("GET", "/v1/conversations/\(conversation)/messages").body
    }
}
