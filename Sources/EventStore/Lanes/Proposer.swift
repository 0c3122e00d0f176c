import EventSourcing
import Foundation

/// Makes what follows from a command ready for the log.
struct Proposer {
    let id: UUID
    let streams: [EntityStream]
    /// The command, or the first of those that were merged.
    let command: any LaneCommand
    let commandID: UUID
    let isOfOneActor: Bool
    let isMerged: Bool

    /// - Throws: `CommandError.unknownActor` where nobody has a key to seal the event's content with.
    func propose(_ event: any DomainEvent, ordinal: Int) throws -> ProposedEvent {
        let category = event.category
        guard let index = streams.firstIndex(where: { $0.category == category }) else {
            preconditionFailure("a decider's events belong to its own streams")
        }
        let stream = StreamID(category, id)
        let context = command.context
        return ProposedEvent(
            event: event,
            stream: stream,
            streamIndex: index,
            commandID: commandID,
            ordinal: ordinal,
            actor: isOfOneActor ? context.actor : nil,
            correlationID: context.correlationID,
            recordedAt: context.now,
            payload: try event.encodePayload(),
            sealed: try sealed(event, at: SealedPlace(stream: stream, commandID: commandID, ordinal: ordinal)),
            contentHMAC: ordinal == 0 && !isMerged ? command.contentHMAC : nil
        )
    }

    private func sealed(_ event: any DomainEvent, at place: SealedPlace) throws -> SealedContent? {
        guard let personal = try event.encodePersonal() else { return nil }
        // Only people say something; the server itself has no key to seal with.
        guard let key = command.key else { throw CommandError.unknownActor }
        return SealedContent(bytes: try key.seal(personal, at: place), keyID: key.id)
    }
}
