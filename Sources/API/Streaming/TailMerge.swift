import EventSourcing
import Foundation

/// Merges the tails of many conversations of one partition into the order of the log, page by page.
struct TailMerge {
    struct Source {
        /// Read next from past this position.
        fileprivate(set) var after: Int64
        fileprivate var events: ArraySlice<RecordedEvent> = []
        fileprivate var isExhausted = false
    }

    private var sources: [UUID: Source]
    /// How many events to ask for at once, per conversation.
    let pageSize: Int

    /// - Parameter budget: about how many events all conversations may hold together.
    init(conversations: some Collection<UUID>, after position: Int64, budget: Int = 1_024) {
        sources = Dictionary(uniqueKeysWithValues: Set(conversations).map { ($0, Source(after: position)) })
        pageSize = min(256, max(16, budget / max(1, sources.count)))
    }

    /// The conversations of which more must be read before the next event is known.
    var needs: [(conversation: UUID, after: Int64)] {
        sources.compactMap { $1.events.isEmpty && !$1.isExhausted ? ($0, $1.after) : nil }
    }

    /// Takes a page of a conversation; one that is not full is its last.
    mutating func supply(_ events: [RecordedEvent], of conversation: UUID) {
        guard var source = sources[conversation] else { return }
        source.events = events[...]
        source.after = events.last?.position ?? source.after
        source.isExhausted = events.count < pageSize
        sources[conversation] = source
    }

    /// The next event in the order of the log; nil where more must be read first, or nothing is left.
    mutating func next() -> RecordedEvent? {
        var first: (conversation: UUID, position: Int64)?
        for (conversation, source) in sources {
            guard let event = source.events.first else {
                if source.isExhausted { continue }
                return nil
            }
            if let found = first, found.position <= event.position { continue }
            first = (conversation, event.position)
        }
        guard let first else { return nil }
        return sources[first.conversation]?.events.popFirst()
    }

    var isFinished: Bool {
        sources.values.allSatisfy { $0.events.isEmpty && $0.isExhausted }
    }
}
