package import EventStore

/// Where a client wants its stream to go on.
package enum StreamStart: Sendable, Equatable {
    /// A fresh stream.
    case now
    case after(PositionVector)
    /// The cursor is of another log, or none at all: what happened since is unknown.
    case unknown

    /// - Parameters:
    ///   - text: what the client sent; nil or empty for a fresh stream.
    ///   - epoch: the only one whose cursors can be continued.
    package init(_ text: String?, in epoch: Epoch) {
        guard let text, !text.isEmpty else {
            self = .now
            return
        }
        guard let cursor = Cursor(text: text), let vector = PositionVector(cursor, in: epoch) else {
            self = .unknown
            return
        }
        self = .after(vector)
    }

    /// A cursor beyond the log's end is not of this log either: it was made before a part of it was lost.
    ///
    /// - Parameters:
    ///   - known: the newest positions that this process knows, at no cost.
    ///   - heads: asks the log, where another process may have appended.
    func checked(known: [Int64], heads: () async throws -> [Int64]) async throws -> StreamStart {
        guard case .after(let vector) = self else { return self }
        if PositionVector(known).covers(vector) { return self }
        return PositionVector(try await heads()).covers(vector) ? self : .unknown
    }
}
