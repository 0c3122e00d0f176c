import Foundation

/// One event of a stream, as it came.
struct ServerSentEvent: Sendable, Equatable {
    /// `message` where the stream names none.
    let name: String
    let data: Data
    /// The cursor after this event: its own `id`, or the last one before it.
    let lastEventID: String
    let hasOwnID: Bool
}
