import EventSourcing
import Foundation
import Messaging
import Postgres
import ReadModels
import TestSupport

/// A log in memory: events as the log would number them, second after second.
struct TestLog: Sendable {
    let partitions: Int
    private(set) var events: [[RecordedEvent]]
    private var versions: [StreamID: Int64] = [:]
    private var count = 0

    static let beginning = Date(timeIntervalSince1970: 1_800_000_000)

    init(partitions: Int = 4) {
        self.partitions = partitions
        events = Array(repeating: [], count: partitions)
    }

    func partition(of id: UUID) -> Int {
        PartitionHash.partition(of: id, count: partitions)
    }

    /// Of the latest event, the same in every run.
    private var commandID: UUID {
        let (high, low) = (UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count))
        return UUID(uuid: (0xc0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, high, low))
    }

    /// When the latest event was recorded.
    var now: Date { Self.beginning.addingTimeInterval(Double(count)) }

    @discardableResult
    mutating func record(
        _ event: any DomainEvent,
        on id: UUID,
        by actor: UUID?,
        command: UUID? = nil
    ) -> RecordedEvent {
        record(.event(event), category: event.category, on: id, by: actor, command: command)
    }

    @discardableResult
    mutating func record(
        _ body: RecordedEvent.Body,
        category: StreamCategory,
        on id: UUID,
        by actor: UUID?,
        command: UUID? = nil
    ) -> RecordedEvent {
        count += 1
        let partition = partition(of: id)
        let stream = StreamID(category, id)
        versions[stream, default: 0] += 1
        let recorded = RecordedEvent(
            partition: partition,
            position: Int64(events[partition].count) + 1,
            stream: stream,
            version: versions[stream, default: 0],
            commandID: command ?? commandID,
            ordinal: 0,
            actor: actor,
            correlationID: nil,
            causationID: nil,
            recordedAt: now,
            body: body,
            size: 100
        )
        events[partition].append(recorded)
        return recorded
    }

    /// Projects everything that a schema does not hold yet, in batches of the given size.
    func project(into schema: ReadSchema = .live, batch: () -> Int = { 100 }) async throws {
        try await TestDatabase.current.pool.withConnection { connection in
            for partition in 0..<partitions {
                var writer = try await PartitionWriter.open(partition: partition, in: schema, on: connection)
                while writer.position < events[partition].count {
                    let rest = events[partition][Int(writer.position)...]
                    try await writer.write(Array(rest.prefix(max(1, batch()))), on: connection)
                }
            }
        }
    }
}

extension TestLog {
    /// As ``project(into:batch:)``, with the partitions side by side: a batch of each in one transaction, where that goes.
    ///
    /// - Returns: how many rounds went, and how many did not.
    @discardableResult
    func projectTogether(
        into schema: ReadSchema = .live,
        batch: () -> Int
    ) async throws -> (together: Int, apart: Int) {
        try await TestDatabase.current.pool.withConnection { connection in
            var writers: [PartitionWriter] = []
            for partition in 0..<partitions {
                writers.append(try await PartitionWriter.open(partition: partition, in: schema, on: connection))
            }
            var rounds = (together: 0, apart: 0)
            while true {
                let turns = writers.indices.map { place in
                    let rest = events[place].dropFirst(Int(writers[place].position))
                    return PartitionWriter.Turn(place: place, events: Array(rest.prefix(max(1, batch()))))
                }.filter { !$0.events.isEmpty }
                guard !turns.isEmpty else { return rounds }
                if try await PartitionWriter.writeTogether(turns, of: &writers, on: connection) {
                    rounds.together += 1
                } else {
                    rounds.apart += 1
                    for turn in turns { try await writers[turn.place].write(turn.events, on: connection) }
                }
            }
        }
    }

    /// The log as it was when it had half of each partition's events.
    var firstHalf: TestLog {
        var log = self
        log.events = events.map { Array($0.prefix($0.count / 2)) }
        return log
    }

    /// The same log as it reads once the keys of these people are destroyed.
    func withoutKeys(of people: Set<UUID>) -> TestLog {
        var log = self
        log.events = events.map { $0.map { $0.withoutKeys(of: people) } }
        return log
    }

    mutating func register(_ person: UUID, name: String? = "Somebody") {
        record(UserEvent.registered(displayName: name), on: person, by: person)
    }

    mutating func startGroup(
        _ id: UUID,
        _ members: [UUID],
        name: String = "Friends",
        visibility: HistoryVisibility = .all
    ) {
        let started = ConversationStarted(
            kind: .group,
            members: members.enumerated().map { .init(id: $1, role: $0 == 0 ? .owner : .member) },
            historyVisibility: visibility,
            name: name
        )
        record(ConversationEvent.started(started), on: id, by: members[0])
    }

    mutating func startDirect(_ one: UUID, _ other: UUID) -> UUID {
        let id = DerivedID.directConversation(one, other)
        let members = [one, other].map { ConversationStarted.Member(id: $0, role: .member) }
        record(ConversationEvent.started(ConversationStarted(kind: .direct, members: members)), on: id, by: one)
        return id
    }

    @discardableResult
    mutating func send(
        _ text: String?,
        seq: Int64,
        to id: UUID,
        by sender: UUID,
        replyTo: MessageReference? = nil,
        mentions: [UUID] = [],
        mentionsAll: Bool = false,
        recipients: Int = 2,
        retention: Int? = nil,
        as message: UUID = UUID()
    ) -> UUID {
        let sent = MessageSent(
            messageID: message,
            sender: sender,
            seq: seq,
            text: text,
            replyTo: replyTo,
            mentions: mentions,
            mentionsAll: mentionsAll,
            recipientCount: recipients,
            retention: retention
        )
        record(ConversationEvent.messageSent(sent), on: id, by: sender, command: message)
        return message
    }

    mutating func add(_ person: UUID, to id: UUID, headSeq: Int64, by actor: UUID) {
        let added = ParticipantAdded(person: person, role: .member, headSeq: headSeq)
        record(ConversationEvent.participantAdded(added), on: id, by: actor)
    }

    mutating func remove(_ person: UUID, from id: UUID, headSeq: Int64, by actor: UUID) {
        record(
            ConversationEvent.participantRemoved(ParticipantRemoved(person: person, headSeq: headSeq)),
            on: id,
            by: actor
        )
    }

    mutating func mark(_ person: UUID, in id: UUID, delivered: Int64, read: Int64) {
        let mark = ReceiptsAdvanced.Mark(person: person, deliveredSeq: delivered, readSeq: read)
        record(ConversationEvent.receiptsAdvanced(ReceiptsAdvanced(marks: [mark])), on: id, by: person)
    }

    mutating func rename(_ id: UUID, to name: String = "Renamed", by actor: UUID) {
        record(ConversationEvent.groupChanged(GroupChanged(name: .set(name))), on: id, by: actor)
    }

    mutating func changeProfile(_ person: UUID, _ change: ProfileChange) {
        record(UserEvent.profileChanged(change), on: person, by: person)
    }
}
