import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// For a test that fills a disk: it needs ``SmallDisk``.
    static var smallDisk: Self {
        .enabled(if: SmallDisk.isPossible, "neither root nor whoever may make namespaces mounts a small disk here")
    }
}

/// A disk of 2 MiB, mounted for one process alone and seen through that one: so it takes no rights where users may make
/// namespaces, and goes with its process, whatever becomes of the test.
enum SmallDisk {
    private static let mount = #"mount -t tmpfs -o size=2m tmpfs "$1""#

    static let isPossible: Bool = {
        let point = FileManager.default.temporaryDirectory
        guard let process = try? start(mount, at: point, FileHandle.nullDevice, FileHandle.nullDevice) else {
            return false
        }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    static func with(_ body: (String) async throws -> Void) async throws {
        let point = FileManager.default.temporaryDirectory.appendingPathComponent("parley-disk-\(UUID())")
        try FileManager.default.createDirectory(at: point, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: point) }
        let (input, output) = (Pipe(), Pipe())
        // Without input it ends where this process has ended.
        let process = try start("\(mount) && echo mounted && exec cat", at: point, input, output)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let answer = output.fileHandleForReading.availableData
        try #require(String(decoding: answer, as: UTF8.self) == "mounted\n")
        try await body("/proc/\(process.processIdentifier)/root\(point.path)")
        withExtendedLifetime(input) {}
    }

    /// Runs a script in a mount namespace of its own.
    private static func start(_ script: String, at point: URL, _ input: Any, _ output: Any) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        let rights = geteuid() == 0 ? [] : ["--user", "--map-root-user"]
        process.arguments = rights + ["--mount", "sh", "-c", script, "sh", point.path]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
