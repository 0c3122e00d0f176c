import Foundation

/// A program in the place of `parley-image`, in a directory of its own where it may leave what it has to say.
enum HelperScript {
    /// - Parameter script: lines of `sh`, to which `$0` is the path.
    static func with(_ script: String, _ body: (_ path: String) async throws -> Void) async throws {
        let files = FileManager.default
        let directory = files.temporaryDirectory.appendingPathComponent("helper-\(UUID())")
        try files.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: directory) }
        let path = directory.appendingPathComponent("helper.sh").path
        // By another process: what is started meanwhile would hold the file open to be written, and no such file is run.
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = ["-c", #"printf '%s' "$1" >"$0""#, path, "#!/bin/sh\n\(script)\n"]
        try writer.run()
        writer.waitUntilExit()
        try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        try await body(path)
    }
}
