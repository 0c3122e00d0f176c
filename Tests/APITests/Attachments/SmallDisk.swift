import Foundation

/// A disk of 2 MiB, where this process may mount one.
enum SmallDisk {
    static let isPossible: Bool = {
        guard geteuid() == 0, let directory = try? mount() else { return false }
        unmount(directory)
        return true
    }()

    static func with(_ body: (String) async throws -> Void) async throws {
        let directory = try mount()
        defer { unmount(directory) }
        try await body(directory)
    }

    private static func mount() throws -> String {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("parley-disk-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try run("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", directory])
        return directory
    }

    private static func unmount(_ directory: String) {
        try? run("umount", ["-l", directory])
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/\(program)")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }
}
