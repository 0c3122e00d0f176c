package import Foundation

/// An event as the log holds it.
///
/// A class, because whoever follows the log hands it on, and would copy all that it holds.
package final class RecordedEvent: Sendable {
    package let partition: Int
    /// Dense inside the partition, in commit order.
    package let position: Int64
    package let stream: StreamID
    /// Dense inside the stream.
    package let version: Int64
    package let commandID: UUID
    /// The place of the event among those of its command, from 0.
    package let ordinal: Int
    package let actor: UUID?
    package let correlationID: UUID?
    package let causationID: UUID?
    /// Server time at acceptance, in whole milliseconds.
    package let recordedAt: Date
    package let body: Body
    /// The stored size of payload and sealed content, in bytes.
    package let size: Int

    /// The event itself, or why it cannot be read.
    package enum Body: Sendable {
        case event(any DomainEvent)
        /// Poison: this program knows the type and schema version, and cannot read the event.
        case undecodable(type: String, reason: String)
        /// Of a newer program: no reader may pass it.
        case unknown(UnknownEvent)
    }

    /// What keeps readers from passing the event, where anything does.
    package var unknown: UnknownEvent? {
        if case .unknown(let event) = body { event } else { nil }
    }

    package init(
        partition: Int,
        position: Int64,
        stream: StreamID,
        version: Int64,
        commandID: UUID,
        ordinal: Int,
        actor: UUID?,
        correlationID: UUID?,
        causationID: UUID?,
        recordedAt: Date,
        body: Body,
        size: Int
    ) {
        self.partition = partition
        self.position = position
        self.stream = stream
        self.version = version
        self.commandID = commandID
        self.ordinal = ordinal
        self.actor = actor
        self.correlationID = correlationID
        self.causationID = causationID
        self.recordedAt = recordedAt
        self.body = body
        self.size = size
    }
}
