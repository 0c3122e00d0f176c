package import Foundation

/// The kind of a stream. Streams of several categories may share an id, and then share a partition.
package struct StreamCategory: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package var description: String { rawValue }
}

/// One history in the log: a category and an id.
package struct StreamID: Hashable, Sendable, CustomStringConvertible {
    package let category: StreamCategory
    package let id: UUID

    package init(_ category: StreamCategory, _ id: UUID) {
        self.category = category
        self.id = id
    }

    package var description: String { "\(category)-\(id.uuidString.lowercased())" }

    /// By the id alone: few streams share one, and a string takes longer to hash than these few to compare.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
