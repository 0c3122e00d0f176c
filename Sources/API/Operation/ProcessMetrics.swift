import Foundation

/// What the operating system knows about this process, under the names that Prometheus' own libraries use.
package enum ProcessMetrics {
    /// The metrics as text, read when asked for; without those that this system does not tell.
    ///
    /// - Parameter directory: the files that this process keeps by itself; nil where it keeps none.
    package static func text(directory: String? = nil) -> String {
        let space = directory.map(space)
        let metrics: [(String, String, Double?)] = [
            ("process_resident_memory_bytes", "gauge", residentMemory),
            ("process_open_fds", "gauge", openFiles),
            ("process_max_fds", "gauge", maxFiles),
            ("process_cpu_seconds_total", "counter", processorTime),
            ("parley_data_directory_free_bytes", "gauge", space?.free),
            ("parley_data_directory_size_bytes", "gauge", space?.size),
        ]
        return metrics.reduce(into: "") { text, metric in
            let (name, kind, value) = metric
            guard let value else { return }
            let number = value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : "\(value)"
            text += "# TYPE \(name) \(kind)\n\(name) \(number)\n"
        }
    }

    private static var residentMemory: Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return Double(pages * Int(getpagesize()))
    }

    private static var openFiles: Double? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count).map(Double.init)
    }

    private static var maxFiles: Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/limits", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        return line?.split(separator: " ").dropFirst(3).first.flatMap { Double($0) }
    }

    /// Of all cores, as the clock of the process counts it.
    private static var processorTime: Double? {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// What the file system of a directory has left, and has in all.
    private static func space(of directory: String) -> (free: Double?, size: Double?) {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: directory)
        func value(_ key: FileAttributeKey) -> Double? { (attributes?[key] as? NSNumber)?.doubleValue }
        return (value(.systemFreeSize), value(.systemSize))
    }
}
