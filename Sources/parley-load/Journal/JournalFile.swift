import Foundation
import ParleyWire
import Synchronization

/// The journal on disk: JSON lines, only ever appended to.
final class JournalFile: Sendable {
    private let handle: Mutex<FileHandle>

    /// What the file holds; nothing where there is none. A last line that a crash cut short is left out.
    static func entries(of path: String) throws -> [JournalEntry] {
        guard let content = FileManager.default.contents(atPath: path) else { return [] }
        let decoder = WireJSON.decoder()
        let lines = content.split(separator: UInt8(ascii: "\n"))
        return try lines.enumerated().compactMap { index, line in
            do {
                return try decoder.decode(JournalEntry.self, from: Data(line))
            } catch {
                if index == lines.count - 1 { return nil }
                throw Journal.Unusable(description: "\(path): line \(index + 1) is no line of a journal")
            }
        }
    }

    init(path: String) throws {
        let exists = FileManager.default.fileExists(atPath: path)
        guard exists || FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forUpdatingAtPath: path)
        else {
            throw Journal.Unusable(description: "\(path): cannot be written")
        }
        let end = try handle.seekToEnd()
        if end > 0 {
            // A line that a crash cut short must not run into the next one.
            try handle.seek(toOffset: end - 1)
            let last = try handle.read(upToCount: 1)
            if last != Data("\n".utf8) { try Self.cutLastLine(of: handle, end: end) }
        }
        self.handle = Mutex(handle)
    }

    func append(_ entry: JournalEntry) throws {
        var line = try WireJSON.encoder().encode(entry)
        line.append(UInt8(ascii: "\n"))
        try handle.withLock { try $0.write(contentsOf: line) }
    }

    private static func cutLastLine(of handle: FileHandle, end: UInt64) throws {
        try handle.seek(toOffset: 0)
        let content = try handle.readToEnd() ?? Data()
        let kept = content.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        try handle.truncate(atOffset: UInt64(kept))
        try handle.seek(toOffset: UInt64(kept))
    }
}
