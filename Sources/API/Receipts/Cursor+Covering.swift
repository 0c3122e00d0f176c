import EventStore

extension Cursor {
    /// The cursor that has passed all of these; nil where there are none.
    init?(covering cursors: [Cursor]) {
        guard let first = cursors.first else { return nil }
        let positions = cursors.dropFirst().reduce(into: first.positions) { positions, cursor in
            positions.merge(cursor.positions) { max($0, $1) }
        }
        self.init(epoch: first.epoch, positions: positions)
    }
}
