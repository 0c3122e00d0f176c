import Foundation
import Postgres

/// Python packages that tests run programs of, kept beside the build.
struct PythonTools: Sendable {
    /// What belongs on `PYTHONPATH`.
    let directory: String

    /// Where programs are found.
    static var searchPath: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" }

    /// The mail server; fetched from PyPI by the first test that ever needs it.
    static var aiosmtpd: PythonTools {
        get async throws { try await fetching.value }
    }

    struct NotAvailable: Error, CustomStringConvertible {
        let description: String
    }

    private static let fetching = Task { try await fetch("aiosmtpd==1.4.6") }

    private static func fetch(_ package: String) async throws -> PythonTools {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let tools = root.appendingPathComponent(".build/test-tools").path
        let directory = "\(tools)/\(package)"
        try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
        let (status, output) = try await ChildProcess.run(
            ["/bin/sh", "-c", script, "fetch", tools, directory, package],
            environment: ["PATH": searchPath, "HOME": tools, "PIP_DISABLE_PIP_VERSION_CHECK": "1"]
        )
        guard status.isSuccess else {
            throw NotAvailable(
                description: "\(package), which tests of mail need, cannot be installed with python3 -m pip: \(output)"
            )
        }
        return PythonTools(directory: directory)
    }

    /// One process fetches at a time; the directory is there whole or not at all.
    private static let script = """
        exec 9>"$1/lock" && flock 9 || exit 1
        [ -d "$2" ] && exit 0
        rm -rf "$2.new"
        python3 -m pip install --quiet --root-user-action=ignore --target "$2.new" "$3" && mv "$2.new" "$2"
        """
}
