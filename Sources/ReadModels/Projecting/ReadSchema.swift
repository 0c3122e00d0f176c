/// The schema that holds a set of read models.
package enum ReadSchema: String, Sendable {
    /// The one that queries read.
    case live = "read_live"
    /// The one that a rebuild fills.
    case next = "read_next"
    /// What was live before a rebuild's switch, until it is dropped.
    case old = "read_old"

    package var name: String { rawValue }
}
