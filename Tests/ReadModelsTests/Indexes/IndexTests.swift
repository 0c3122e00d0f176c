import EventSourcing
import Foundation
import Messaging
import ParleyWire
import Postgres
import TestSupport
import Testing

@testable import ReadModels

/// The indexes that hot statements use, chosen as in production: by a planner that may do what it likes, for as many rows
/// as a busy server has, with the statistics of those rows; by plans for the values at hand and by plans for any.
@Suite(.database, .timeLimit(.minutes(10))) struct IndexTests {
    let ada = IndexTests.person(7)
    let room = IndexTests.group(11)

    @Test func `queries use indexes, for the values at hand and for any`() async throws {
        try await fill()
        let queries = try queries()
        try await withConnection([:]) { connection in
            for query in queries {
                for plan in try await plans(query.statement, on: connection) {
                    #expect(plan.scans.isEmpty, "\(query.name) reads from end to end: \(plan.scans)")
                    #expect(!plan.indexes.isEmpty, "\(query.name)")
                    #expect(plan.indexes.isSubset(of: query.indexes), "\(query.name): \(plan.indexes)")
                }
            }
        }
    }

    @Test func `projections find the rows that they change by key`() async throws {
        try await fill()
        let statements = projecting()
        #expect(statements.count > 8)
        // With the settings of a projector's connections.
        try await withConnection(configuration.projecting.settings) { connection in
            for statement in statements {
                for plan in try await plans(statement, on: connection) {
                    #expect(plan.scans.isEmpty, "reads from end to end: \(plan.scans): \(statement)")
                }
            }
        }
    }

    @Test func `projections need no index that a rebuild makes at the end`() async throws {
        try await fill()
        let statements = projecting()
        let administrator = TestDatabase.current.administrator
        _ = try await administrator.withConnection { try await LateIndexes.drop(in: .live, on: $0) }
        try await withConnection(configuration.projecting.settings) { connection in
            for statement in statements {
                for plan in try await plans(statement, on: connection) {
                    #expect(plan.scans.isEmpty, "reads from end to end: \(plan.scans): \(statement)")
                    #expect(plan.indexes.isSubset(of: LateIndexes.needed), "\(plan.indexes)")
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `many conversations take no more index scans for each than few, on a small server as well`(
        isAnalyzed: Bool
    ) async throws {
        try await fillSmall(conversations: 200, isAnalyzed: isAnalyzed)
        try await withConnection(["plan_cache_mode": "force_generic_plan"]) { connection in
            func scans(_ count: Int) async throws -> Int {
                let ranges = (1...count).map { MessageRange(conversation: Self.group($0), first: 1, last: 2, floor: 0) }
                let statement = MessageReader.statement(for: ranges, of: ada, hides: true, within: 1 << 20)
                return try await indexScans(of: statement, on: connection)
            }
            let (few, many) = (try await scans(20), try await scans(200))
            #expect(few >= 20 && many < 20 * few, "\(few) for 20, \(many) for 200")
        }
    }

    /// What a projector and a rebuild write, and what an erasure does.
    private func projecting() -> [SQL] {
        var changes = TestLog(partitions: 1)
        changes.send("Hello", seq: 101, to: room, by: ada)
        changes.edit("Bye", seq: 100, of: room, by: ada)
        changes.edit("Bye bye", seq: 100, of: room, by: ada)
        changes.react("\u{1F44D}", to: 99, of: room, by: ada)
        changes.react("\u{1F44D}", to: 99, of: room, by: ada, adds: false)
        changes.pin(97, of: room, by: ada)
        changes.pin(96, of: room, by: ada, pins: false)
        changes.delete(98, of: room, sentBy: ada, by: ada)
        changes.keep(for: 3_600, in: room, by: ada)
        changes.send("Soon gone", seq: 102, to: room, by: ada, retention: 3_600)
        changes.expire(95, of: room, sentBy: ada)
        changes.send("All of you", seq: 103, to: room, by: ada, mentionsAll: true)
        changes.mark(ada, in: room, delivered: 101, read: 101)
        changes.remove(ada, from: room, headSeq: 101, by: ada)
        changes.rename(room, by: ada)
        changes.changeProfile(ada, .init(displayName: "Ada"))
        changes.record(
            ConversationEvent.blockChanged(BlockChanged(person: ada, blocked: Self.person(8), isBlocked: true)),
            on: room,
            by: ada
        )
        changes.record(
            ConversationEvent.memberErased(MemberErased(person: ada, headSeq: 90)),
            on: room,
            by: ada
        )
        var statements: [SQL] = []
        for event in changes.events[0].compactMap(ProjectedEvent.init) {
            for type in Projections.all {
                var projection = type.init()
                projection.fold(event)
                statements += projection.statements(in: .live)
            }
            if let erasure = TextErasure(event) {
                statements += erasure.statements(from: 1, in: .live)
            }
        }
        statements.append(Checkpoint.move([.init(partition: 0, from: 1, to: 2)], in: .live))
        return statements
    }
}
