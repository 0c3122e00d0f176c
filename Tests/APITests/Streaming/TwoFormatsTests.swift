import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messaging
import Migrations
import ParleyWire
import Postgres
import ReadModels
import TestSupport
import Testing

@testable import API
@testable import Live

/// A server of an older program and one of a newer on one log: the upgrade, with people on both.
@Suite(.database, .timeLimit(.minutes(10))) struct TwoFormatsTests {
    @Test func `an upgrade under traffic loses nothing, parks nothing, and shows nobody what lies behind the unknown`()
        async throws
    {
        try await LiveServer.with {
            $0.catalog = .later
        } _: { newer in
            try await LiveServer.with { older in
                try await older.eventStore.formats.beat()
                try await newer.eventStore.formats.beat()
                let people = try await older.people(3)
                let room = try await older.startGroup(people)
                var elsewhere = room
                let log = older.eventStore.identity
                while log.partition(of: elsewhere) == log.partition(of: room) {
                    elsewhere = try await older.startGroup(people)
                }
                let onOlder = try await older.readyStream(of: people[1])
                let onNewer = try await newer.readyStream(of: people[1])
                // Both live: what only one can read is not written.
                for number in 0..<10 {
                    try await (number.isMultiple(of: 2) ? older : newer).say("\(number)", people[0], in: room)
                }
                await #expect(throws: CommandError.formatNotOpen(RoomPinned.kinds[0].format)) {
                    try await newer.pin(room, by: people[0])
                }
                for stream in [onOlder, onNewer] {
                    for number in 0..<10 { #expect(try await stream.nextText() == "\(number)") }
                }
                // The older one is taken for dead, and is only paused.
                await older.eventStore.formats.leave()
                try await newer.pin(room, by: people[0])
                for number in 10..<15 { try await newer.say("\(number)", people[2], in: room) }
                for number in 10..<15 { #expect(try await onNewer.nextText() == "\(number)") }
                // It finds out: nothing from behind the event reaches its streams, all else does.
                let refusal = CommandError.unknownEvent(UnknownEvent(type: "roomPinned", schemaVersion: 1))
                await #expect(throws: refusal) { try await older.say("in vain", people[0], in: room) }
                try await older.say("elsewhere", people[0], in: elsewhere)
                #expect(try await onOlder.nextText() == "elsewhere")
                await #expect(throws: NewerLog.self) { try await older.eventStore.formats.beat() }
                // Whoever was connected there goes on at the newer one.
                let resumed = try await newer.stream(of: people[1], since: onOlder.lastID)
                for number in 10..<15 { #expect(try await resumed.nextText() == "\(number)") }
                try await expectNothingParked()
                try await expectRebuildIdentical(newer)
            }
        }
    }

    private func expectNothingParked() async throws {
        let parked = try await TestDatabase.current.administrator.query("SELECT FROM read_live.parked")
        #expect(parked.count == 0)
    }

    private func expectRebuildIdentical(_ server: LiveServer) async throws {
        let heads = try await server.eventStore.log.heads()
        let positions = Dictionary(uniqueKeysWithValues: heads.enumerated().map { ($0.offset, $0.element) })
        #expect(try await server.checkpoints.wait(for: positions, timeout: .seconds(60)))
        let rebuild = Rebuild(
            log: server.eventStore.log,
            database: PostgresConfiguration(url: TestDatabase.current.url),
            migrations: Migrations.readModels,
            logger: SecretWatch.logger
        )
        let comparison = try #require(try await rebuild.run(verifying: true).comparison)
        #expect(comparison.allSatisfy { $0.isEqual })
    }
}

/// An event of conversations that only a later program knows.
private struct RoomPinned: DomainEvent, Equatable {
    static let kinds = [EventKind("roomPinned", in: .conversation, format: EventCatalog.messaging.format + 1)]

    var kind: EventKind { Self.kinds[0] }
    var subject: UUID? { nil }

    init() {}
    init(_ kind: EventKind, _ content: StoredContent, _ context: DecodingContext) throws {}

    func encodePayload() throws -> [UInt8] { Array("{}".utf8) }
    func encodePersonal() throws -> [UInt8]? { nil }
}

private enum PinDecider: Decider {
    typealias Rejection = Never

    static let name = "pin"
    static let snapshotVersion = 1
    static let streams = [AggregateStream(.conversation, isOrdered: true)]
    static let initialState = 0

    static func decide(_ command: Bool, given state: Int) -> [RoomPinned] { [RoomPinned()] }
    static func evolve(_ state: inout Int, _ event: RoomPinned) { state += 1 }
}

extension EventCatalog {
    fileprivate static let later = EventCatalog([ConversationEvent.self, UserEvent.self, RoomPinned.self])
}

extension LiveServer {
    fileprivate func pin(_ conversation: UUID, by person: LivePerson) async throws {
        _ = try await eventStore.handle(
            true,
            of: PinDecider.self,
            on: conversation,
            context: CommandContext(commandID: UUID(), actor: person.id, now: Date()),
            answer: { _ in }
        )
    }
}
