import EventSourcing
import Foundation
import Messaging

extension RecordedEvent {
    /// The event as it is read once the keys of these people are destroyed: stored, and decoded without the sealed part.
    func withoutKeys(of people: Set<UUID>) -> RecordedEvent {
        guard let actor, people.contains(actor), case .event(let event) = body else { return self }
        func reread<E: DomainEvent>(_ event: E) throws -> E {
            try E(
                event.kind,
                StoredContent(payload: event.encodePayload(), personal: nil),
                DecodingContext(
                    stream: stream,
                    commandID: commandID,
                    actor: actor,
                    subject: event.subject,
                    recordedAt: recordedAt
                )
            )
        }
        let unreadable = Body.undecodable(type: event.type, reason: "not read without its key")
        return RecordedEvent(
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
            body: (try? reread(event)).map { .event($0) } ?? unreadable,
            size: size
        )
    }
}
