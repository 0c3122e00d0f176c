/// What an append demands of its stream's version at the moment of writing.
package enum ExpectedVersion: Hashable, Sendable {
    /// The stream must have exactly this many events; 0 means that it must not exist.
    case exactly(Int64)
    /// No demand: for events that commute, such as receipts.
    case any
}
