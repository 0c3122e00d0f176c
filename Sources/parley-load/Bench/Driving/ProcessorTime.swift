import Foundation
import Glibc

/// What processes have used of the cores, in seconds.
enum ProcessorTime {
    /// Seconds, in user and system mode, of all threads.
    static var own: Double {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// What a process has used, in user and system mode, to a hundredth of a second.
    static func of(process: Int32) throws -> Double { try Entry(process).own }

    /// The same of a process and all that it has started, what has ended included; what a child has started is left out.
    static func ofFamily(_ parent: Int32) throws -> Double {
        let entry = try Entry(parent)
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        // A process may have ended since, and is then in what its parent has waited for.
        let children = names.compactMap { Int32($0) }.compactMap { try? Entry($0) }.filter { $0.parent == parent }
        return children.reduce(entry.own + entry.ofEnded) { $0 + $1.own }
    }

    /// What `/proc` tells of a process.
    private struct Entry {
        let parent: Int32
        let own: Double
        let ofEnded: Double

        init(_ process: Int32) throws {
            let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // The name, in parentheses, may hold anything.
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst()
            let numbers = fields.map { Double($0) ?? 0 }
            guard numbers.count > 15 else { throw Unmeasurable("/proc/\(process)/stat does not tell the time") }
            let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
            parent = Int32(numbers[1])
            (own, ofEnded) = ((numbers[11] + numbers[12]) / ticks, (numbers[13] + numbers[14]) / ticks)
        }
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
