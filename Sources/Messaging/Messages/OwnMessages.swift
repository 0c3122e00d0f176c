/// A member's own messages after the member's mark, which the member need not read.
///
/// Bounded: who sends without ever reading, as a bot does, has them counted in the log.
package enum OwnMessages: Sendable, Equatable {
    /// The first and last `seq` of each run of messages, in order.
    case runs([Int64])
    /// Too many runs to keep: not known again before the mark reaches the head.
    case uncounted

    private static let maxRuns = 32

    /// How many there are; nil where that is not known.
    package var count: Int64? {
        guard case .runs(let bounds) = self else { return nil }
        var count: Int64 = 0
        for index in stride(from: 1, to: bounds.count, by: 2) { count += bounds[index] - bounds[index - 1] + 1 }
        return count
    }

    func contains(_ seq: Int64) -> Bool {
        guard case .runs(let bounds) = self else { return false }
        return stride(from: 1, to: bounds.count, by: 2).contains { bounds[$0 - 1] <= seq && seq <= bounds[$0] }
    }

    /// Adds the newest message.
    mutating func add(_ seq: Int64) {
        guard case .runs(var bounds) = self else { return }
        if let last = bounds.last, last == seq - 1 {
            bounds[bounds.count - 1] = seq
        } else {
            bounds += [seq, seq]
        }
        self = bounds.count > 2 * Self.maxRuns ? .uncounted : .runs(bounds)
    }

    /// What is left when the mark has moved.
    func after(_ mark: Int64, head: Int64) -> OwnMessages? {
        if mark >= head { return nil }
        guard case .runs(let bounds) = self else { return self }
        var left: [Int64] = []
        for index in stride(from: 1, to: bounds.count, by: 2) where bounds[index] > mark {
            left += [max(bounds[index - 1], mark + 1), bounds[index]]
        }
        return left.isEmpty ? nil : .runs(left)
    }
}

extension OwnMessages: Codable {
    package init(from decoder: any Decoder) throws {
        let bounds = try decoder.singleValueContainer().decode([Int64].self)
        guard bounds.count.isMultiple(of: 2), bounds == bounds.sorted() else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "runs of messages are pairs, in order")
            )
        }
        self = bounds.isEmpty ? .uncounted : .runs(bounds)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .runs(let bounds): try container.encode(bounds)
        case .uncounted: try container.encode([Int64]())
        }
    }
}
