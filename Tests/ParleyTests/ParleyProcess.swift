import Foundation
import Postgres
import TestSupport
import Testing

/// The built executable, running as an operator would run it.
final class ParleyProcess: Sendable {
    let child: ChildProcess
    private let output: Output

    /// What a run that ends by itself left.
    struct Ended {
        let code: Int32?
        let output: String
    }

    private init(child: ChildProcess, output: Output) {
        self.child = child
        self.output = output
    }

    /// Starts `parley` with only the given environment.
    static func start(_ arguments: [String], environment: [String: String] = [:]) async throws -> ParleyProcess {
        let (reading, writing) = try FileDescriptor.pipe()
        let variables = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nowhere"]
        // A test that fails leaves its servers running: they end with this process at least.
        let prefix = ExecutableSearch.find("setpriv").map { [$0, "--pdeathsig", "KILL"] } ?? []
        let child = try await ChildProcess.start(
            prefix + [try executable()] + arguments,
            environment: variables.merging(environment) { $1 },
            output: writing
        )
        return ParleyProcess(child: child, output: Output(reading))
    }

    /// Runs `parley` to its end.
    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Ended {
        try await start(arguments, environment: environment).ended()
    }

    /// Starts a server on a free port and waits until it is ready.
    static func serve(dataDirectory: String) async throws -> ParleyProcess {
        try await serve(["--data-dir", dataDirectory])
    }

    /// Starts a server on a free port and waits until it is ready; passwords cost little, so that tests are fast.
    static func serve(_ arguments: [String], environment: [String: String] = [:]) async throws -> ParleyProcess {
        let all = ["serve", "--port", "0", "--scrypt-cost", "4", "--log-level", "trace"] + arguments
        let process = try await start(all, environment: environment)
        try await process.waits(for: "[parley] Listening")
        return process
    }

    /// Starts a server, and says how many seconds that took: how quick this machine is just now.
    static func timeServe(
        environment: [String: String]
    ) async throws -> (server: ParleyProcess, seconds: Double) {
        let begin = ContinuousClock.now
        let server = try await serve([], environment: environment)
        return (server, (ContinuousClock.now - begin) / .seconds(1))
    }

    /// The port that the server says it listens on.
    var port: UInt16 {
        get throws { try port(of: "[parley] Listening") }
    }

    /// The port of the address in a line with this text.
    func port(of text: String) throws -> UInt16 {
        let line = try #require(output.text.split(separator: "\n").first { $0.contains(text) })
        let address = try #require(line.matches(of: /\d+\.\d+\.\d+\.\d+:(\d+)/).last)
        return try #require(UInt16(address.1))
    }

    /// Waits until the process has printed a text, and fails if it ends before that.
    func waits(for text: String) async throws {
        let isThere = await output.waits(for: text)
        try #require(isThere, "parley ended without \"\(text)\": \(output.text)")
    }

    /// Waits for the process to end by itself.
    func ended() async -> Ended {
        let status = await child.wait()
        await output.waitsForEnd()
        SecretWatch.inspect(output.text, "what parley printed")
        guard case .code(let code) = status else { return Ended(code: nil, output: output.text) }
        return Ended(code: code, output: output.text)
    }

    /// Ends the process as a service manager does.
    func terminate() async -> Ended {
        child.signal(SIGTERM)
        return await ended()
    }

    /// Ends the process as a power cut does.
    func kill() async {
        child.signal(SIGKILL)
        _ = await child.wait()
    }

    /// The executable lies beside the test bundle.
    private static func executable() throws -> String {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("parley").path
    }
}
