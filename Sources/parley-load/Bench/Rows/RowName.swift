import ArgumentParser

/// What can be measured.
enum RowName: String, CaseIterable, Codable, Sendable, ExpressibleByArgument {
    case sends
    case edits
    case reactions
    case http
    case latency
    case groupOf1000 = "group-1000"
    case fanOut = "fan-out"
    case memory
    case rebuild
    case resume
    case list
    case snapshotHeld = "snapshot-held"
    case coldLoad = "cold-load"
    case conflicts
    case processes
    case crossing
    case sync
    case storm
    case restarts
    case presence
    case typing
    case shutdown
    case search
    case push
    case photos
    case uploads
    case logins

    /// What is measured when nothing is said: what the design promises.
    static let standard = allCases.filter { $0 != .logins }

    var row: any BenchRow {
        switch self {
        case .sends: SendsRow()
        case .edits: MessageChangesRow(change: .edits)
        case .reactions: MessageChangesRow(change: .reactions)
        case .http: HTTPRow()
        case .latency: LatencyRow()
        case .groupOf1000: GroupRow()
        case .fanOut: FanOutRow()
        case .memory: MemoryRow()
        case .rebuild: RebuildRow()
        case .resume: ResumeRow()
        case .list: ListRow()
        case .snapshotHeld: SnapshotHeldRow()
        case .coldLoad: ColdLoadRow()
        case .conflicts: ConflictRow()
        case .processes: ProcessesRow()
        case .crossing: CrossingRow()
        case .sync: SyncRow()
        case .storm: StormRow()
        case .restarts: RestartsRow()
        case .presence: PresenceRow()
        case .typing: TypingRow()
        case .shutdown: ShutdownRow()
        case .search: SearchRow()
        case .push: PushRow()
        case .photos: PhotosRow()
        case .uploads: UploadsRow()
        case .logins: LoginsRow()
        }
    }

    /// Whether passwords must cost what they cost in production.
    var needsRealPasswords: Bool { self == .logins }

    /// Reads names with commas between.
    static func list(_ text: String) throws -> [RowName] {
        try text.split(separator: ",").map { name in
            guard let row = RowName(rawValue: name.trimmingPrefix(" ").description) else {
                let known = allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("there is no row '\(name)'; there are \(known)")
            }
            return row
        }
    }
}
