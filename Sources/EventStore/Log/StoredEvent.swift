import EventSourcing
import Foundation
import Postgres

/// A row of the log, its content still sealed.
struct StoredEvent: Sendable {
    let partition: Int
    let position: Int64
    let stream: StreamID
    let version: Int64
    let type: String
    let schemaVersion: Int
    let commandID: UUID
    let ordinal: Int
    let subject: UUID?
    let actor: UUID?
    let correlationID: UUID?
    let causationID: UUID?
    let recordedAt: Date
    let payload: [UInt8]
    /// Empty where the content has left the log: the message was deleted (``Shredder``).
    let sealed: [UInt8]?
    let keyID: UUID?
    /// As `sealed`.
    let contentHMAC: [UInt8]?

    static let columns: SQL = """
        e.partition, e.position, e.category, e.stream_id, e.version, e.type, e.schema_version, e.command_id, e.ordinal,
        e.subject, e.actor, e.correlation_id, e.causation_id, e.recorded_at, e.payload, e.sealed, e.key_id,
        e.content_hmac
        """

    init(_ row: Row) throws {
        partition = try row.decode(0)
        position = try row.decode(1)
        stream = StreamID(StreamCategory(rawValue: try row.decode(2)), try row.decode(3))
        version = try row.decode(4)
        type = try row.decode(5)
        schemaVersion = try row.decode(6)
        commandID = try row.decode(7)
        ordinal = try row.decode(8)
        subject = try row.decode(9)
        actor = try row.decode(10)
        correlationID = try row.decode(11)
        causationID = try row.decode(12)
        recordedAt = try row.decode(13)
        payload = try row.decode(14, as: JSONText.self).bytes
        sealed = try row.decode(15, as: Bytes?.self)?.bytes
        keyID = try row.decode(16)
        contentHMAC = try row.decode(17, as: Bytes?.self)?.bytes
    }

    /// The event as its readers see it.
    ///
    /// - Parameter key: the key of the sealed content; nil reads the content as erased.
    func recorded(catalog: EventCatalog, key: PersonKey?) -> RecordedEvent {
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
            body: body(catalog: catalog, key: key),
            size: payload.count + (sealed?.count ?? 0)
        )
    }

    private func body(catalog: EventCatalog, key: PersonKey?) -> RecordedEvent.Body {
        do {
            var personal: [UInt8]?
            if let sealed, let key, !sealed.isEmpty {
                personal = try key.open(
                    sealed,
                    at: SealedPlace(stream: stream, commandID: commandID, ordinal: ordinal)
                )
            }
            return .event(try decode(catalog: catalog, personal: personal))
        } catch let unknown as UnknownEvent {
            return .unknown(unknown)
        } catch {
            // The reason names the kind of failure only: an error's description may carry content.
            return .undecodable(type: type, reason: String(describing: Swift.type(of: error)))
        }
    }

    func decode(catalog: EventCatalog, personal: [UInt8]?) throws -> any DomainEvent {
        try catalog.decode(
            type: type,
            schemaVersion: schemaVersion,
            content: StoredContent(payload: payload, personal: personal),
            context: DecodingContext(
                stream: stream,
                commandID: commandID,
                actor: actor,
                subject: subject,
                recordedAt: recordedAt
            )
        )
    }
}
