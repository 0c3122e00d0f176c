/// All kinds of events that a program can read.
package struct EventCatalog: Sendable {
    /// The highest log format that the program reads.
    package let format: Int
    private let entries: [Entry]

    private struct Entry: Sendable {
        let kind: EventKind
        let event: any DomainEvent.Type
    }

    package init(_ events: [any DomainEvent.Type]) {
        let entries = events.flatMap { event in event.kinds.map { Entry(kind: $0, event: event) } }
        self.init(entries, format: entries.map(\.kind.format).max() ?? 1)
    }

    private init(_ entries: [Entry], format: Int) {
        self.entries = entries
        self.format = format
    }

    /// The kinds that are known.
    package var kinds: [EventKind] { entries.map(\.kind).filter { $0.format <= format } }

    /// What a program of a lower format knows: the kinds that came later are unknown to it.
    package func narrowed(to format: Int) -> EventCatalog {
        EventCatalog(entries, format: min(format, self.format))
    }

    /// Whether the program can read events that the log names so.
    package func knows(_ type: String, version schemaVersion: Int, in category: StreamCategory) -> Bool {
        entry(type, schemaVersion, category) != nil
    }

    /// Reads a stored event; one of an older schema version is brought into the newest shape first.
    ///
    /// - Throws: ``UnknownEvent`` where the program does not know the kind, `UndecodableEvent` or a decoding error where it
    ///   does, and cannot read the event all the same.
    package func decode(
        type: String,
        schemaVersion: Int,
        content: StoredContent,
        context: DecodingContext
    ) throws -> any DomainEvent {
        guard var entry = entry(type, schemaVersion, context.stream.category) else {
            throw UnknownEvent(type: type, schemaVersion: schemaVersion)
        }
        guard entry.kind.upcast != nil else { return try entry.event.init(entry.kind, content, context) }
        var newest = content
        while let upcast = entry.kind.upcast {
            newest = try upcast(newest)
            entry = try successor(of: entry)
        }
        return try entry.event.init(entry.kind, newest, context)
    }

    /// One after the other: there are few kinds, the most frequent come first, and hashing a name takes longer.
    private func entry(_ type: String, _ schemaVersion: Int, _ category: StreamCategory) -> Entry? {
        entries.first { $0.kind.isNamed(type, version: schemaVersion, in: category) && $0.kind.format <= format }
    }

    private func successor(of entry: Entry) throws -> Entry {
        let version = entry.kind.schemaVersion + 1
        let next = entries.first { $0.kind.isNamed(entry.kind.type, version: version, in: entry.kind.category) }
        guard let next else { throw UndecodableEvent(entry.kind) }
        return next
    }
}
