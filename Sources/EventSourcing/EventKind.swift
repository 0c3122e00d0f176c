/// One version of one type of event, as the log names it.
///
/// What is stored under a kind stays as it is for ever. A type whose stored shape changes gets a kind of the next schema
/// version, and the kind before it an upcaster.
package struct EventKind: Sendable {
    package let type: String
    /// The version of the stored shape: 1 until it first changes.
    package let schemaVersion: Int
    /// The category of the streams that hold such events.
    package let category: StreamCategory
    /// The log format that introduced the kind: programs of a lower one cannot read it.
    package let format: Int
    /// Brings what was stored under this kind into the shape of the next version; nil for the newest.
    package let upcast: Upcaster?

    package typealias Upcaster = @Sendable (StoredContent) throws -> StoredContent

    package init(
        _ type: String,
        version schemaVersion: Int = 1,
        in category: StreamCategory,
        format: Int,
        upcast: Upcaster? = nil
    ) {
        self.type = type
        self.schemaVersion = schemaVersion
        self.category = category
        self.format = format
        self.upcast = upcast
    }

    /// Whether the log names this kind so.
    package func isNamed(_ type: String, version schemaVersion: Int, in category: StreamCategory) -> Bool {
        self.schemaVersion == schemaVersion && self.type == type && self.category == category
    }
}

extension EventKind: Hashable {
    package static func == (one: EventKind, other: EventKind) -> Bool {
        one.isNamed(other.type, version: other.schemaVersion, in: other.category)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(schemaVersion)
        hasher.combine(category)
    }
}

extension EventKind: CustomStringConvertible {
    package var description: String { "\(category).\(type).\(schemaVersion)" }
}

/// What the log stores of an event.
package struct StoredContent: Sendable, Equatable {
    /// JSON with nothing personal in it.
    package var payload: [UInt8]
    /// The unsealed content; nil where the event has none or its owner's key was destroyed, in which case the event reads
    /// as erased.
    package var personal: [UInt8]?

    package init(payload: [UInt8], personal: [UInt8]?) {
        self.payload = payload
        self.personal = personal
    }
}
