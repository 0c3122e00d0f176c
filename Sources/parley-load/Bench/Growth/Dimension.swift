import ArgumentParser

/// What grows while everything else stays as it is.
enum Dimension: String, CaseIterable, Codable, Sendable, ExpressibleByArgument {
    case log
    case groups
    case streams
    case conversations
    case rate
    case snapshot

    var growth: any Growth {
        switch self {
        case .log: LogGrowth()
        case .groups: GroupGrowth()
        case .streams: StreamGrowth()
        case .conversations: ConversationGrowth()
        case .rate: RateGrowth()
        case .snapshot: SnapshotGrowth()
        }
    }
}

/// How cost grows along one dimension.
protocol Growth: Sendable {
    /// Measures from the smallest size to the largest, on one server.
    ///
    /// - Parameter limit: the largest size, where the caller names one.
    func measure(_ subject: Subject, upTo limit: Int?) async throws -> Curve
}
