import EventStore

/// How far a reader has come in every partition of the log: what stands behind the `id` of a stream's events.
package struct PositionVector: Sendable, Hashable {
    package private(set) var positions: [Int64]

    package init(_ positions: [Int64]) {
        self.positions = positions
    }

    /// The positions of a cursor of this epoch that names every partition; nil for any other, such as a position token.
    init?(_ cursor: Cursor, in epoch: Epoch) {
        guard cursor.epoch == epoch.id, let positions = cursor.all(partitions: epoch.heads.count) else { return nil }
        self.positions = positions
    }

    subscript(partition: Int) -> Int64 { positions[partition] }

    /// Moves on in one partition; never back.
    mutating func advance(_ partition: Int, to position: Int64) {
        if position > positions[partition] { positions[partition] = position }
    }

    mutating func advance(to other: PositionVector) {
        for (partition, position) in other.positions.enumerated() { advance(partition, to: position) }
    }

    func advanced(_ partition: Int, to position: Int64) -> PositionVector {
        var vector = self
        vector.advance(partition, to: position)
        return vector
    }

    func advanced(to other: PositionVector) -> PositionVector {
        var vector = self
        vector.advance(to: other)
        return vector
    }

    /// - Parameter limit: how far it may come in a partition; nil for any distance.
    func limited(_ limit: (Int) -> Int64?) -> PositionVector {
        PositionVector(positions.enumerated().map { min($0.element, limit($0.offset) ?? .max) })
    }

    /// Whether a reader that has come this far has seen everything that one at `other` has.
    func covers(_ other: PositionVector) -> Bool {
        zip(positions, other.positions).allSatisfy { $0 >= $1 }
    }

    var byPartition: [Int: Int64] {
        Dictionary(uniqueKeysWithValues: positions.enumerated().map { ($0.offset, $0.element) })
    }

    package func text(epoch: UInt64) -> String {
        Cursor(epoch: epoch, all: positions).text
    }
}
