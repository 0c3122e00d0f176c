import Benchmark
import EventSourcing
import Foundation
import Messaging

@testable import EventStore
@testable import Postgres

/// What a lane does to a batch, and what readers of the log do to it.
func addLogBenchmarks() {
    Benchmark("lane: decide and seal 64 messages") { benchmark in
        let group = try group()
        let commands = (1...64).map { command(.send(Sample.send($0))) }
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(group.decide(commands)) }
    }

    Benchmark("lane: write 64 messages as arrays") { benchmark in
        let events = try batch(of: 64)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(arrays(of: events)) }
    }

    Benchmark("log: read 1,000 rows") { benchmark in
        let rows = try logRows(1_000)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(try rows.map { try StoredEvent($0) }) }
    }

    Benchmark("log: unseal and decode 1,000 events") { benchmark in
        let events = try logRows(1_000).map { try StoredEvent($0) }
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            for event in events { blackHole(event.recorded(catalog: .messaging, key: Sample.personKey)) }
        }
    }
}

/// A group of 30.
private func group() throws -> Aggregate<ConversationDecider> {
    let group = Aggregate<ConversationDecider>(id: Sample.conversation, partition: 3)
    let start = StartGroup(
        owner: Sample.owner,
        participants: Sample.members,
        name: "Friends",
        icon: nil,
        joinPolicy: .invite,
        historyVisibility: .all,
        maxMembers: 10_000
    )
    guard group.decide([command(.startGroup(start))]).events.count == 1 else { throw NotAccepted() }
    group.commit(versions: group.streams.map { $0.category == .conversation ? 1 : 0 }, position: 1)
    return group
}

private struct NotAccepted: Error {}

private func command(_ command: ConversationCommand) -> PendingCommand {
    var id = Sample.id(3_000)
    var content: [UInt8]?
    if case .send(let message) = command {
        id = message.messageID
        content = Array(message.text.utf8)
    }
    return PendingCommand(
        CommandRequest<ConversationDecider>(command: command, observe: { _ in }),
        to: Sample.conversation,
        partition: 3,
        context: CommandContext(commandID: id, actor: Sample.owner, now: Sample.time, content: content),
        key: Sample.personKey,
        generation: 0,
        deadline: .now + .seconds(60),
        doubt: CommandDoubt(),
        resume: { _ in }
    )
}

private func batch(of count: Int) throws -> [ProposedEvent] {
    let events = try group().decide((1...count).map { command(.send(Sample.send($0))) }).events
    guard events.count == count else { throw NotAccepted() }
    return events
}

/// What a lane's append is made of, column by column.
private func arrays(of events: [ProposedEvent]) -> SQL {
    """
    SELECT \(events.map(\.stream.id)), \(events.map(\.stream.category.rawValue)), \(events.map(\.kind.type)),
        \(events.map { Int16(clamping: $0.kind.schemaVersion) }), \(events.map(\.commandID)),
        \(events.map { Int32(clamping: $0.ordinal) }), \(events.map(\.event.subject)), \(events.map(\.actor)),
        \(events.map(\.correlationID)), \(events.map(\.recordedAt)), \(events.map { JSONText($0.payload) }),
        \(events.map { $0.sealed.map { Bytes($0.bytes) } }), \(events.map { $0.sealed?.keyID }),
        \(events.map { $0.contentHMAC.map { Bytes($0) } })
    """
}

/// Rows of the log as libpq gives them.
private func logRows(_ count: Int) throws -> Rows {
    let maker = ResultMaker(
        columns: [
            "partition", "position", "category", "stream_id", "version", "type", "schema_version", "command_id",
            "ordinal",
            "subject", "actor", "correlation_id", "causation_id", "recorded_at", "payload", "sealed", "key_id",
            "content_hmac",
        ]
    )
    for (place, event) in try batch(of: count).enumerated() {
        maker.add(
            """
            \(Int32(3)) \(Int64(place + 1)) \(event.stream.category.rawValue)
            \(event.stream.id) \(Int64(place + 1)) \(event.kind.type) \(Int16(clamping: event.kind.schemaVersion))
            \(event.commandID) \(Int32(clamping: event.ordinal)) \(event.event.subject) \(event.actor)
            \(event.correlationID) \(event.correlationID) \(event.recordedAt) \(JSONText(event.payload))
            \(event.sealed.map { Bytes($0.bytes) }) \(event.sealed?.keyID) \(event.contentHMAC.map { Bytes($0) })
            """
        )
    }
    return maker.rows
}
