/// A read model that is not what this program makes.
package enum VersionMismatch: Sendable, Equatable {
    /// Its rows were made by another version of its projection.
    case differs(String, stored: Int, current: Int)
    /// It is not there: its projection is new.
    case missing(String, current: Int)
    /// This program has no projection of that name.
    case foreign(String, stored: Int)

    /// The projection, where a rebuild by this program puts it right.
    package var projectionToRebuild: String? {
        switch self {
        case .differs(let projection, _, _), .missing(let projection, _): projection
        case .foreign: nil
        }
    }

    static func between(
        _ stored: [(name: String, version: Int)],
        _ current: [(name: String, version: Int)]
    ) -> [VersionMismatch] {
        let versions = Dictionary(stored.map { ($0.name, $0.version) }) { first, _ in first }
        let own = current.compactMap { name, version -> VersionMismatch? in
            guard let stored = versions[name] else { return .missing(name, current: version) }
            return stored == version ? nil : .differs(name, stored: stored, current: version)
        }
        let names = Set(current.map(\.name))
        return own + stored.filter { !names.contains($0.name) }.map { .foreign($0.name, stored: $0.version) }
    }
}

extension VersionMismatch: CustomStringConvertible {
    package var description: String {
        switch self {
        case .differs(let projection, let stored, let current):
            "rebuild due: \(projection) is at version \(stored), this program makes \(current): run parley rebuild --all"
        case .missing(let projection, let current):
            "rebuild due: \(projection) is new, this program makes \(current): run parley rebuild --all"
        case .foreign(let projection, let stored):
            "\(projection), at version \(stored), belongs to another program"
        }
    }
}
