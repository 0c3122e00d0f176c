package import ParleyWire

/// Why a stream is over.
package enum StreamEnd: Sendable, Hashable {
    /// The server ends it, and says so.
    case goAway(GoAwayReason)
    /// The client has gone, or takes nothing any more: there is nobody to tell.
    case closed
}
