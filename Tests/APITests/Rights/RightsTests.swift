import EventStore
import Foundation
import Hummingbird
import ParleyWire
import ReadModels
import TestSupport
import Testing

@testable import API
@testable import Edge

/// Who may do what, over HTTP, against the whole of ``RightsTable``.
@Suite(.database, .timeLimit(.minutes(10))) struct RightsTests {
    @Test func `every route is in the table`() async throws {
        try await LiveServer.with { server in
            let routes = Set(buildRoutes(server.dependencies).routes.map { "\($0.method.rawValue) \($0.path)" })
            let entered = Set(RightsTable.rows.map(\.route))
            #expect(routes.subtracting(entered) == [], "routes without a row in RightsTable")
            #expect(entered.subtracting(routes) == [], "rows of routes that there are not")
        }
    }

    /// In parts, as there are so many that one after the other takes long.
    private static let parts = 6

    @Test(arguments: 0..<parts) func `everybody is answered as the table says`(part: Int) async throws {
        try await LiveServer.with { server in
            let scene = try await RightsScene(server)
            for (index, row) in RightsTable.rows.enumerated() where index % Self.parts == part {
                for actor in RightsActor.allCases {
                    guard let expected = row.answers[actor] else { continue }
                    try await check(row, actor, expected, scene)
                }
            }
        }
    }

    private func check(
        _ row: RightsTable.Row,
        _ actor: RightsActor,
        _ expected: Int,
        _ scene: RightsScene
    ) async throws {
        let what: Comment = "\(actor): \(row.route) \(row.target) \(row.kind) \(row.body ?? "")"
        let room = try await scene.room(row.kind)
        if let room, row.method == .get || row.path == "/v1/search" { try await scene.showsUp(room) }
        let caller = try await scene.caller(row, actor)
        let heads = try await scene.server.eventStore.log.heads()
        let reply = try await scene.ask(row, as: caller, of: room)
        #expect(reply.status == expected, what)
        guard reply.status >= 400 else { return }
        let problem = try WireJSON.decoder().decode(Problem.self, from: reply.body)
        #expect(problem.status == expected, what)
        #expect(try await scene.server.eventStore.log.heads() == heads, "refused, and stored: \(what)")
        // Who may not see a conversation cannot tell it from one that there is not.
        guard reply.status == 404, room != nil, [.stranger, .formerMember].contains(actor) else { return }
        let nowhere = try await scene.ask(row, as: caller, of: nil)
        #expect(nowhere.status == 404, what)
        var other = try WireJSON.decoder().decode(Problem.self, from: nowhere.body)
        other.requestId = problem.requestId
        #expect(other == problem, what)
    }
}

extension RightsScene {
    /// Waits until the read models have the whole room.
    func showsUp(_ room: Room) async throws {
        let partition = server.eventStore.identity.partition(of: room.id)
        let head = try await server.eventStore.log.heads()[partition]
        #expect(try await server.checkpoints.wait(for: [partition: head], timeout: .seconds(60)))
    }
}
