import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import NIOCore
import ParleyWire
import TestSupport
import Testing

@testable import API
@testable import Edge

@Suite(.database, .timeLimit(.minutes(5))) struct `Answers to operators` {
    /// More than what counts for nothing, and more than half of the budget.
    private static let size = 100_000
    private static let other = RateSubject.network(ClientNetwork(ipv4: 1))

    private static func makeBudget() -> CallerBudget {
        CallerBudget(limit: 150_000, leastShare: 150_000)
    }

    @Test func `have a budget of their own, whatever clients hold`() async throws {
        let budget = Self.makeBudget()
        let routes = Routes<OperatorContext>(at: "", classOf: { _, _ in .operation }) { .operated($0) }
        routes.get("large") { _, _ in
            let text = String(repeating: "x", count: Self.size)
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
        let website = routes.all
        try await TestServer.with {
            $0.edge.answers = CallerBudget(limit: 0)
            $0.edge.operatorAnswers = budget
            $0.website = website
        } _: { server in
            let operators = Operators(pool: server.eventStore.pool)
            let token = try #require(try await operators.create("deploy", .read, by: "console:test")).exposed
            SecretWatch.add(token)
            let headers: HTTPFields = [.authorization: "Bearer \(token)"]
            do {
                let held = try budget.part(Self.size, for: Self.other)
                try await server.send(.get, "/large", headers: headers).expect(.overloaded)
                withExtendedLifetime(held) {}
            }
            let answer = try await server.send(.get, "/large", headers: headers)
            #expect(answer.status == .ok && answer.body.count == Self.size)
        }
    }

    @Test func `count for the pieces of files that reports hold`() async throws {
        let budget = Self.makeBudget()
        try await Operated.with(.read) {
            $0.edge.answers = CallerBudget(limit: 0)
            $0.edge.operatorAnswers = budget
        } _: { operated in
            let (ada, bob) = (try await operated.server.register("Ada"), try await operated.server.register("Bob"))
            let conversation = try await ada.talk(to: bob).id
            let file = try await bob.upload([UInt8](repeating: UInt8(ascii: "a"), count: Self.size))
            let message = try await bob.send([file], in: conversation).decode(Message.self, status: .created)
            let members: [String: JSONValue] = [
                "conversationId": .string("\(conversation)"), "messageId": .string("\(message.id)"),
                "reason": .string("fraud"),
            ]
            let report = try await ada.send(.post, "/v1/reports", body: .object(members))
                .decode(Report.self, status: .created)
            let path = "/admin/v1/reports/\(report.id)/attachments/\(file.id)"
            do {
                let held = try budget.part(Self.size, for: Self.other)
                try await operated.send(.get, path).expect(.overloaded)
                withExtendedLifetime(held) {}
            }
            let answer = try await operated.send(.get, path)
            #expect(answer.status == .ok && answer.body.count == Self.size)
        }
    }
}
