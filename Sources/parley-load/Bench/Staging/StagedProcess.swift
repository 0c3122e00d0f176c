import Foundation
import Synchronization

/// One of several processes on a database: `parley serve` or `parley project`, which can be ended and started again.
final class StagedProcess: Sendable {
    enum Role: String, Sendable {
        case serve
        case project
    }

    let role: Role
    /// Where it answers; one that serves nobody tells here whether it is ready.
    let url: String
    let address: ServerAddress
    private let command: [String]
    private let environment: [String: String]
    private let child: Mutex<LoadProcess>

    var pid: Int32 { child.withLock { $0.pid } }

    /// Returns when the process is ready.
    init(_ role: Role, program: String, environment: [String: String]) async throws {
        let url = "http://127.0.0.1:\(try FreePort.find())"
        guard let address = ServerAddress(url) else { preconditionFailure("a URL made of a port has an address") }
        let options =
            switch role {
            case .serve: ["--port", "\(address.port)"]
            case .project: ["--ops-port", "\(address.port)"]
            }
        let cost = ["--limits", "off", "--scrypt-cost", "\(Bench.cheapHashing)"]
        (self.role, self.url, self.address, self.environment) = (role, url, address, environment)
        command = [program, role.rawValue] + options + cost
        let process = try await LoadProcess.start(command, environment: environment)
        child = Mutex(process)
        try await waitUntilReady()
    }

    /// Ends the process as a service manager does, and starts it again when it has ended.
    func restart() async throws {
        await end()
        try await start()
    }

    /// Starts the process again, which has ended.
    func start() async throws {
        let process = try await LoadProcess.start(command, environment: environment)
        child.withLock { $0 = process }
        try await waitUntilReady()
    }

    func end() async {
        await child.withLock { $0 }.end()
    }

    /// Ends the process as a power cut does.
    func kill() async {
        await child.withLock { $0 }.kill()
    }

    private func waitUntilReady() async throws {
        let process = child.withLock { $0 }
        do {
            try await process.waits(until: "\(url)/readyz")
        } catch {
            await process.end()
            throw error
        }
    }
}
