import EventSourcing
import Foundation

/// An event that is ready to be appended. A class, because a statement is made column by column, and each of them would
/// copy all that an event holds.
final class ProposedEvent: Sendable {
    let event: any DomainEvent
    let kind: EventKind
    let partition: Int
    let stream: StreamID
    /// Its stream's place among those of the aggregate.
    let streamIndex: Int
    /// Where the stream ends, as far as the aggregate knows.
    let streamVersion: Int64
    /// Whether the append demands that the stream ends there.
    let isOrdered: Bool
    let commandID: UUID
    let ordinal: Int
    let actor: UUID?
    let correlationID: UUID?
    let causationID: UUID?
    let recordedAt: Date
    let payload: [UInt8]
    let sealed: SealedContent?
    let contentHMAC: [UInt8]?

    fileprivate init(_ event: any DomainEvent, place: Int, streamIndex: Int, by proposer: Proposer) throws {
        let stream = proposer.streams[streamIndex]
        let context = proposer.command.context
        self.event = event
        kind = event.kind
        self.streamIndex = streamIndex
        let ownCommandID = event.ownCommandID
        let commandID = ownCommandID ?? proposer.commandID
        ordinal = ownCommandID == nil ? place : 0
        self.commandID = commandID
        self.stream = StreamID(stream.category, proposer.id)
        partition = proposer.partition
        streamVersion = proposer.versions[streamIndex]
        isOrdered = stream.isOrdered
        actor = proposer.isOfOneActor ? context.actor : nil
        correlationID = context.correlationID
        causationID = context.causationID
        recordedAt = context.now
        payload = try event.encodePayload()
        sealed = try proposer.seal(
            event,
            at: SealedPlace(stream: self.stream, commandID: commandID, ordinal: ordinal)
        )
        contentHMAC = place == 0 && !proposer.isMerged ? proposer.command.contentHMAC : nil
    }

    /// The event as the log holds it now.
    func recorded(at position: Int64, version: Int64) -> RecordedEvent {
        RecordedEvent(
            partition: partition,
            position: position,
            stream: stream,
            version: version,
            commandID: commandID,
            ordinal: ordinal,
            actor: actor,
            correlationID: correlationID,
            causationID: causationID,
            recordedAt: recordedAt,
            body: .event(event),
            size: payload.count + (sealed?.bytes.count ?? 0)
        )
    }
}

/// Personal content under somebody's key.
struct SealedContent: Sendable {
    let bytes: [UInt8]
    let keyID: UUID
}

/// Makes what follows from a command ready for the log.
struct Proposer {
    let id: UUID
    let partition: Int
    let streams: [AggregateStream]
    let versions: [Int64]
    /// The command, or the first of those that were merged.
    let command: PendingCommand
    let commandID: UUID
    let isOfOneActor: Bool
    let isMerged: Bool

    /// - Parameter place: among the events of the command.
    /// - Throws: `CommandError.unknownActor` where nobody has a key to seal the event's content with.
    func propose(_ event: any DomainEvent, place: Int) throws -> ProposedEvent {
        let category = event.kind.category
        guard let index = streams.firstIndex(where: { $0.category == category }) else {
            preconditionFailure("a decider's events belong to its own streams")
        }
        return try ProposedEvent(event, place: place, streamIndex: index, by: self)
    }

    fileprivate func seal(_ event: any DomainEvent, at place: SealedPlace) throws -> SealedContent? {
        guard let personal = try event.encodePersonal() else { return nil }
        // Only people say something; the server itself has no key to seal with.
        guard let key = command.key else { throw CommandError.unknownActor }
        return SealedContent(bytes: try key.seal(personal, at: place), keyID: key.id)
    }
}
