import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import Postgres

/// A server started for a measurement: it ends with this program, however that ends.
struct LoadProcess: Sendable {
    struct Ended: Error {}

    private static let startsWithin = Duration.seconds(60)
    private static let stopsWithin = Duration.seconds(60)

    private let child: ChildProcess

    var pid: Int32 { child.pid }

    /// - Parameter environment: what the program sees beside a plain `PATH`: nothing of Parley's settings, unless given.
    static func start(
        _ command: [String],
        environment: [String: String] = [:],
        output: Postgres.FileDescriptor? = nil
    ) async throws -> LoadProcess {
        let variables = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"].merging(environment) { $1 }
        let prefix = ExecutableSearch.find("setpriv").map { [$0, "--pdeathsig", "TERM"] } ?? []
        let child = try await ChildProcess.start(prefix + command, environment: variables, output: output)
        return LoadProcess(child: child)
    }

    /// Runs a program to its end and gives what it printed.
    static func run(_ command: [String], environment: [String: String] = [:]) async throws -> String {
        let output = try Postgres.FileDescriptor.anonymous()
        let process = try await start(command, environment: environment, output: output)
        let status = await withTaskCancellationHandler {
            await process.child.wait()
        } onCancel: {
            process.child.signal(SIGTERM)
        }
        try Task.checkCancellation()
        let text = output.text()
        guard status.isSuccess else {
            let name = command.first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ""
            throw Unmeasurable("\(name) ended with \(status): \(text.suffix(500))")
        }
        return text
    }

    /// Waits until the server answers a GET with success.
    ///
    /// - Throws: ``Ended`` where it ends before that.
    func waits(until url: String) async throws {
        let deadline = ContinuousClock.now + Self.startsWithin
        while ContinuousClock.now < deadline {
            guard child.exitStatus == nil else { throw Ended() }
            let answer = try? await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(2))
            if answer?.status == .ok { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw APIFailure.unreachable(request: url, reason: "not ready within \(Self.startsWithin)")
    }

    /// Ends the server in order, or by force where that takes too long.
    func end() async {
        child.signal(SIGTERM)
        if await child.wait(atMost: Self.stopsWithin) != nil { return }
        await kill()
    }

    /// Ends the server as a power cut does.
    func kill() async {
        child.signal(SIGKILL)
        _ = await child.wait()
    }
}
