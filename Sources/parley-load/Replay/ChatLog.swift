import Foundation
import ParleyWire

/// A chat log read from a file of JSON lines.
struct ChatLog: Sendable {
    let name: String
    let lines: [LogLine]

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    init(name: String, lines: [LogLine]) {
        self.name = name
        self.lines = lines
    }

    /// Reads at most `limit` lines.
    init(path: String, limit: Int?) throws {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw Unreadable(description: "\(path): cannot be read")
        }
        let decoder = WireJSON.decoder()
        var lines: [LogLine] = []
        for (index, text) in content.split(separator: UInt8(ascii: "\n")).prefix(limit ?? .max).enumerated() {
            do {
                lines.append(try decoder.decode(LogLine.self, from: Data(text)))
            } catch {
                throw Unreadable(description: "\(path): line \(index + 1) is no line of a chat log")
            }
        }
        guard !lines.isEmpty else { throw Unreadable(description: "\(path): is empty") }
        self.init(name: URL(filePath: path).deletingPathExtension().lastPathComponent, lines: lines)
    }
}
