/// The log holds events of a newer program, which this one may not read past.
package struct NewerLog: Error, Equatable, CustomStringConvertible {
    /// The log's format.
    package let format: Int
    /// The highest format that this program reads.
    package let readable: Int

    package init(format: Int, readable: Int) {
        self.format = format
        self.readable = readable
    }

    package var description: String {
        "the log is of format \(format), and this program reads formats up to \(readable): run the version that wrote it, "
            + "or a newer one; the way back is a backup from before the upgrade"
    }
}
