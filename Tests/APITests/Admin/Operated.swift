import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Identity
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Edge

/// A test's server, and an operator who runs it by its other port.
struct Operated: Sendable {
    let server: TestServer
    private let client: any TestClientProtocol
    private let token: String

    static func with(
        _ scope: OperatorScope = .act,
        _ configure: (inout TestServer.Options) -> Void = { _ in },
        _ body: @escaping @Sendable (Operated) async throws -> Void
    ) async throws {
        try await TestServer.with(configure) { server in
            let operators = Operators(pool: server.eventStore.pool)
            let token = try #require(try await operators.create("deploy", scope, by: "console:test")).exposed
            SecretWatch.add(token)
            let application = buildOperationApplication(server.dependencies, port: 0, logger: SecretWatch.logger)
            try await application.test(.router) { client in
                try await body(Operated(server: server, client: client, token: token))
            }
        }
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: JSONValue? = nil,
        token: String? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [.authorization: "Bearer \(token ?? self.token)"]
        if body != nil { headers[.contentType] = "application/json" }
        if token == "" { headers[.authorization] = nil }
        let response = try await client.executeRequest(
            uri: path,
            method: method,
            headers: headers,
            body: try body.map { ByteBuffer(string: try String(json: $0)) }
        )
        return Answer(status: response.status, headers: response.headers, body: Data(response.body.readableBytesView))
    }

    /// Makes a bot with a token.
    func makeBot(_ name: String, scopes: [BotScope] = BotScope.allCases) async throws -> MadeBot {
        let body: JSONValue = .object(["displayName": .string(name)])
        let bot = try await send(.post, "/admin/v1/bots", body: body).decode(ListedBot.self, status: .created)
        let asked: JSONValue = .object(["scopes": .array(scopes.map { .string($0.rawValue) })])
        let token = try await send(.post, "/admin/v1/bots/\(bot.id)/tokens", body: asked)
            .decode(ListedBot.Token.self, status: .created)
        let text = try #require(token.token)
        SecretWatch.add(text)
        return MadeBot(server: server, id: bot.id, tokenID: token.id, token: text)
    }
}

/// A bot with a token.
struct MadeBot: Sendable {
    let server: TestServer
    let id: WireID
    let tokenID: WireID
    let token: String

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: JSONValue? = nil
    ) async throws -> Answer {
        try await server.send(method, path, headers: [.authorization: "Bearer \(token)"], body: body)
    }
}
