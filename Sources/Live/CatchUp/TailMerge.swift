import EventSourcing
import Foundation

/// Merges the events of many spans of conversations of one partition into the order of the log, page by page.
struct TailMerge {
    /// The events of one conversation past a position, up to another.
    struct Span: Sendable, Equatable {
        let conversation: UUID
        let after: Int64
        let upTo: Int64
    }

    private struct Source {
        let span: Span
        var events: ArraySlice<RecordedEvent> = []
        var readTo: Int64
        var isExhausted = false
    }

    private var sources: [Source]
    /// How many events to ask for at once, per span.
    let pageSize: Int

    /// - Parameter budget: about how many events all spans may hold together.
    init(_ spans: [Span], budget: Int = 1_024) {
        sources = spans.filter { $0.after < $0.upTo }.map { Source(span: $0, readTo: $0.after) }
        pageSize = min(256, max(16, budget / max(1, sources.count)))
    }

    /// What must be read before the next event is known: the rests of spans, by their places.
    var needs: [(place: Int, rest: Span)] {
        sources.enumerated().compactMap { place, source in
            guard source.events.isEmpty, !source.isExhausted else { return nil }
            let span = source.span
            return (place, Span(conversation: span.conversation, after: source.readTo, upTo: span.upTo))
        }
    }

    /// Takes the next events of a span; a page that is not full is its last.
    mutating func supply(_ events: [RecordedEvent], at place: Int) {
        sources[place].events = events[...]
        sources[place].readTo = events.last?.position ?? sources[place].readTo
        sources[place].isExhausted = events.count < pageSize
    }

    /// The next event in the order of the log; nil where more must be read first, or nothing is left.
    var peek: RecordedEvent? { first.map { sources[$0].events.first } ?? nil }

    mutating func next() -> RecordedEvent? {
        first.map { sources[$0].events.popFirst() } ?? nil
    }

    private var first: Int? {
        var first: (place: Int, position: Int64)?
        for (place, source) in sources.enumerated() {
            guard let event = source.events.first else {
                if source.isExhausted { continue }
                return nil
            }
            if let found = first, found.position <= event.position { continue }
            first = (place, event.position)
        }
        return first?.place
    }
}
