import DequeModule
import EventSourcing

/// What a feed holds of one partition: its newest events, contiguous, and the head that is known.
struct FeedTail {
    /// What is kept, whichever is reached first.
    private static let maximumEvents = 2_048
    private static let maximumBytes = 4 << 20

    /// Contiguous; its last is not always the head.
    var events: Deque<RecordedEvent> = []
    var bytes = 0
    var head: Int64 = 0

    mutating func append(_ event: RecordedEvent) {
        head = max(head, event.position)
        if let last = events.last {
            if event.position <= last.position { return }
            // What the log takes away does not stay in memory either, whichever process was told to.
            if event.retractsContent { drop() }
            if event.position > last.position + 1 {
                events.removeAll(keepingCapacity: true)
                bytes = 0
            }
        }
        events.append(event)
        bytes += event.size + 256
        while events.count > 1, events.count > Self.maximumEvents || bytes > Self.maximumBytes {
            if let dropped = events.popFirst() { bytes -= dropped.size + 256 }
        }
    }

    mutating func drop() {
        events.removeAll()
        bytes = 0
    }

    /// The events past a position, or nil where they begin before memory does.
    func events(after position: Int64, limit: Int) -> [RecordedEvent]? {
        guard position < head else { return [] }
        guard let first = events.first, first.position <= position + 1 else { return nil }
        let start = Int(clamping: position + 1 - first.position)
        guard start < events.count else { return nil }
        return Array(events[start..<min(events.count, start + limit)])
    }
}

extension RecordedEvent {
    /// Whether what was said before it is to be taken back.
    var retractsContent: Bool {
        if case .event(let event) = body { event.retractsContent } else { false }
    }
}
