import Foundation
import Glibc

/// What the figures were measured on.
struct Machine: Sendable, Encodable {
    let processor: String
    let cores: Int
    let memoryMegabytes: Int
    let kernel: String
    /// The load averages of the last 1, 5 and 15 minutes, before the measurement.
    let load: [Double]

    static func current() -> Machine {
        let cpu = text("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
        var name = utsname()
        uname(&name)
        return Machine(
            processor: cpu?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryMegabytes: Int(clamping: ProcessInfo.processInfo.physicalMemory >> 20),
            kernel: withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) },
            load: text("/proc/loadavg").split(separator: " ").prefix(3).compactMap { Double($0) }
        )
    }

    var description: String {
        let load = load.map { String(format: "%.1f", $0) }.joined(separator: " ")
        return "\(cores) × \(processor), \(memoryMegabytes >> 10) GB, Linux \(kernel), load before \(load)"
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
