package import Foundation

/// A fact that the log keeps for ever, in two parts: a payload with nothing personal in it, and the personal content,
/// which the log seals under the key of the event's actor.
package protocol DomainEvent: Sendable {
    /// The category of the stream that this event belongs to.
    var category: StreamCategory { get }

    /// The name of the event's kind in the log, such as `messageSent`; never renamed once stored.
    var type: String { get }

    /// The version of the payload's shape, 1 until it first changes.
    var schemaVersion: Int { get }

    /// The message or person that the event is about, where facts about it are looked up by (stream, subject).
    var subject: UUID? { get }

    /// Whether the event erases the person that its stream is about: from then on the person's key is never used again.
    var isErasure: Bool { get }

    /// Whether the event takes away content of events before it: what is remembered of them is not to be shown any more.
    var retractsContent: Bool { get }

    /// The payload as JSON, with nothing personal in it.
    func encodePayload() throws -> [UInt8]

    /// The personal content (texts, names), or nil where the event has none.
    func encodePersonal() throws -> [UInt8]?

    /// Reads a stored event.
    ///
    /// - Parameter personal: the unsealed content; nil where the event has none or its owner's key was destroyed, in
    ///   which case the event reads as erased.
    /// - Throws: ``UnknownEvent`` where this program has no such type or schema version, `UndecodableEvent` or a decoding
    ///   error where it has, and cannot read the event all the same.
    init(type: String, schemaVersion: Int, payload: [UInt8], personal: [UInt8]?, context: DecodingContext) throws
}

extension DomainEvent {
    package var isErasure: Bool { false }
    package var retractsContent: Bool { false }
}

/// What the log knows of an event beside its payload, for ``DomainEvent/init(type:schemaVersion:payload:personal:context:)``.
package struct DecodingContext: Sendable {
    package let stream: StreamID
    package let commandID: UUID
    package let actor: UUID?
    package let subject: UUID?
    package let recordedAt: Date

    package init(stream: StreamID, commandID: UUID, actor: UUID?, subject: UUID?, recordedAt: Date) {
        self.stream = stream
        self.commandID = commandID
        self.actor = actor
        self.subject = subject
        self.recordedAt = recordedAt
    }
}

/// A stored event of a type or schema version that this program does not know: a newer program wrote it, so readers stop
/// in front of it and wait to be upgraded.
package struct UnknownEvent: Error, Equatable, CustomStringConvertible {
    package let type: String
    package let schemaVersion: Int

    package init(type: String, schemaVersion: Int) {
        self.type = type
        self.schemaVersion = schemaVersion
    }

    package var description: String { "event type \(type), schema version \(schemaVersion), is of a newer program" }
}

/// A stored event of a known type and schema version that makes no sense.
package struct UndecodableEvent: Error, Equatable, CustomStringConvertible {
    package let type: String
    package let schemaVersion: Int

    package init(type: String, schemaVersion: Int) {
        self.type = type
        self.schemaVersion = schemaVersion
    }

    package var description: String { "cannot decode event type \(type), schema version \(schemaVersion)" }
}
