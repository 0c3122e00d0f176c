import Foundation

/// Writes a report as JSON.
enum ReportFile {
    static func write(_ report: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        try (encoder.encode(report) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
    }
}
