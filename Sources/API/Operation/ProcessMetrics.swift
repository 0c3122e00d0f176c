import Foundation

/// What the operating system knows about this process, under the names that Prometheus' own libraries use.
package enum ProcessMetrics {
    /// The metrics as text, read when asked for; without those that this system does not tell.
    package static func text() -> String {
        let gauges: [(String, Int?)] = [
            ("process_resident_memory_bytes", residentMemory),
            ("process_open_fds", openFiles),
        ]
        return gauges.reduce(into: "") { text, gauge in
            guard let value = gauge.1 else { return }
            text += "# TYPE \(gauge.0) gauge\n\(gauge.0) \(value)\n"
        }
    }

    private static var residentMemory: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(getpagesize())
    }

    private static var openFiles: Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
