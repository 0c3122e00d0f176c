import Foundation
import Logging

/// Variables of the environment that look like settings and are none: most often one that is misspelt.
struct UnknownVariables {
    /// What stands beside settings in environments that are shared with the build, with PostgreSQL or with a proxy.
    private static let others: Set<String> = [
        "PARLEY_COMMIT", "PARLEY_DOMAIN", "PARLEY_MIGRATE_PASSWORD", "PARLEY_SERVE_PASSWORD", "PARLEY_WARNINGS",
    ]

    private let settings: [String]

    init(_ configuration: Configuration) {
        settings = configuration.all.map(\.environmentName)
    }

    /// By name, with the setting that is most like it, where one is.
    func find(in environment: some Collection<String>) -> [(name: String, nearest: String?)] {
        let known = Self.others.union(settings)
        let unknown = environment.filter { $0.hasPrefix("PARLEY_") && !known.contains($0) }
        return unknown.sorted().map { ($0, nearest(to: $0)) }
    }

    private func nearest(to name: String) -> String? {
        // Beyond a third of its letters it is another word.
        let most = max(2, (name.utf8.count - "PARLEY_".utf8.count) / 3)
        let distances = settings.map { (setting: $0, distance: Self.distance(Array($0.utf8), Array(name.utf8))) }
        let nearest = distances.min { ($0.distance, $0.setting) < ($1.distance, $1.setting) }
        return nearest.flatMap { $0.distance <= most ? $0.setting : nil }
    }

    /// How many letters are to be added, taken away or changed (Levenshtein).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (place, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = place + 1
            for (column, otherLetter) in other.enumerated() {
                let changed = diagonal + (letter == otherLetter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}

extension Configuration {
    /// Warns of them by their names alone: their values may be secrets.
    func warnOfUnknownVariables(_ logger: Logger) {
        for (name, nearest) in UnknownVariables(self).find(in: ProcessInfo.processInfo.environment.keys) {
            var metadata: Logger.Metadata = ["variable": "\(TerminalText.line(name))"]
            if let nearest { metadata["nearest"] = "\(nearest)" }
            logger.warning("A variable is no setting, and ignored", metadata: metadata)
        }
    }
}
