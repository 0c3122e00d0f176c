import DequeModule
import NIOCore
import NIOHTTPTypes

/// What waits to be written until the client has taken what was written before, in its order: one part for each task
/// that writes.
///
/// A value of its connection's, which is confined to the event loop.
struct StalledParts {
    struct Part {
        let part: HTTPResponsePart
        let writer: CheckedContinuation<Void, any Error>
    }

    private var parts = Deque<Part>()

    var isEmpty: Bool { parts.isEmpty }

    mutating func append(_ part: Part) {
        parts.append(part)
    }

    mutating func popFirst() -> Part? {
        parts.popFirst()
    }

    /// The connection is gone.
    mutating func fail(_ error: any Error) {
        while let part = parts.popFirst() { part.writer.resume(throwing: error) }
    }
}
