import Foundation
import Postgres
import Synchronization
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
        let child = try await ChildProcess.start(
            [try executable()] + arguments,
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
        let process = try await start(["serve", "--port", "0", "--data-dir", dataDirectory])
        try await process.waits(for: "Listening")
        return process
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

/// What a process prints, collected by a thread of its own.
private final class Output: Sendable {
    private let state = Mutex(State())

    private struct State {
        var bytes: [UInt8] = []
        var isAtEnd = false
        var waiting: [(text: String?, continuation: CheckedContinuation<Bool, Never>)] = []

        mutating func settle() -> [(CheckedContinuation<Bool, Never>, Bool)] {
            let text = String(decoding: bytes, as: UTF8.self)
            let found = { (wanted: String?) in wanted.map { text.contains($0) } ?? false }
            let settled = waiting.filter { isAtEnd || found($0.text) }
            waiting.removeAll { isAtEnd || found($0.text) }
            return settled.map { ($0.continuation, found($0.text)) }
        }
    }

    init(_ reading: FileDescriptor) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(reading.rawValue, &buffer, buffer.count)
                let settled = state.withLock { state in
                    if count > 0 { state.bytes += buffer.prefix(count) } else { state.isAtEnd = true }
                    return state.settle()
                }
                for (continuation, result) in settled { continuation.resume(returning: result) }
                if count <= 0 { return }
            }
        }
    }

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    func waits(for text: String) async -> Bool { await wait(for: text) }

    func waitsForEnd() async { _ = await wait(for: nil) }

    private func wait(for text: String?) async -> Bool {
        await withCheckedContinuation { continuation in
            let settled = state.withLock { state in
                state.waiting.append((text, continuation))
                return state.settle()
            }
            for (continuation, result) in settled { continuation.resume(returning: result) }
        }
    }
}
