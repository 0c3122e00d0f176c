import EventStore

/// Events of a newer program.
extension HubState {
    /// Passes nothing on from a position on: this program does not know its event.
    ///
    /// - Parameter epoch: in which the event was read: in another one the log may hold something else there.
    /// - Returns: whether that is news.
    mutating func stop(_ partition: Int, before position: Int64, in epoch: Epoch) -> Bool {
        guard epoch == self.epoch, position < stops[partition] ?? .max else { return false }
        stops[partition] = position
        joinWaiting()
        return true
    }

    /// As much of a vector as can ever be passed on.
    func readable(_ vector: PositionVector) -> PositionVector {
        stops.isEmpty ? vector : vector.limited { stops[$0].map { $0 - 1 } }
    }
}
