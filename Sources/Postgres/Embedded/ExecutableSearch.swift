import Foundation

/// Where programs are found.
package enum ExecutableSearch {
    /// The first executable file of this name in `PATH`, and in the usual places where `PATH` is poor.
    package static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let directories = path.split(separator: ":").map(String.init) + ["/usr/local/bin", "/usr/bin", "/bin"]
        return directories.lazy
            .filter { $0.hasPrefix("/") }
            .map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
