/// A place in the log: positions run 1, 2, 3, … inside a partition, without holes and in commit order.
package struct Position: Hashable, Sendable, CustomStringConvertible {
    package let partition: Int
    package let position: Int64

    package init(partition: Int, position: Int64) {
        self.partition = partition
        self.position = position
    }

    package var description: String { "\(partition):\(position)" }
}
