package import Foundation

/// A fact that the log keeps for ever, in two parts: a payload with nothing personal in it, and the personal content,
/// which the log seals under the key of the event's actor.
package protocol DomainEvent: Sendable {
    /// Every kind under which the log may hold such events, those of older versions included.
    static var kinds: [EventKind] { get }

    /// The kind under which the log stores the event: the newest version of its type.
    var kind: EventKind { get }

    /// The message or person that the event is about, where facts about it are looked up by (stream, subject).
    var subject: UUID? { get }

    /// The id of the command that the event is of, where it follows from the event itself: so that one command may do what
    /// several would have done, each to be found under its own id. Nil for the command's.
    var ownCommandID: UUID? { get }

    /// Whether the event erases the person that its stream is about: from then on the person's key is never used again.
    var isErasure: Bool { get }

    /// Whether the event takes away content of events before it: what is remembered of them is not to be shown any more.
    var retractsContent: Bool { get }

    /// The payload as JSON, with nothing personal in it.
    func encodePayload() throws -> [UInt8]

    /// The personal content (texts, names), or nil where the event has none.
    func encodePersonal() throws -> [UInt8]?

    /// Reads a stored event of the newest version of its type; ``EventCatalog`` brings older ones there.
    ///
    /// - Throws: `UndecodableEvent` or a decoding error.
    init(_ kind: EventKind, _ content: StoredContent, _ context: DecodingContext) throws
}

extension DomainEvent {
    package var ownCommandID: UUID? { nil }
    package var isErasure: Bool { false }
    package var category: StreamCategory { kind.category }
    package var type: String { kind.type }
    package var schemaVersion: Int { kind.schemaVersion }
    package var retractsContent: Bool { false }
}

/// What the log knows of an event beside its content, for ``DomainEvent/init(_:_:_:)``.
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

    package init(_ kind: EventKind) {
        self.init(type: kind.type, schemaVersion: kind.schemaVersion)
    }

    package var description: String { "cannot decode event type \(type), schema version \(schemaVersion)" }
}
