import Foundation
import Glibc
import Postgres

/// A `parley serve` of its own, with production settings but for `--limits off` and the cost of passwords.
struct StagedServer: Sendable {
    private let program: String
    private let scryptCost: Int?
    private let directory: TemporaryDirectory
    private let port: Int
    private let parent: String?
    private let environment: [String: String]

    private var dataDirectory: String { "\(directory.path)/data" }
    private var log: String { "\(directory.path)/server.log" }

    /// - Parameter environment: further settings.
    init(program: String, parent: String?, scryptCost: Int?, environment: [String: String] = [:]) throws {
        self.environment = environment
        self.program = program
        self.scryptCost = scryptCost
        self.parent = parent
        directory = try TemporaryDirectory(in: parent)
        port = try FreePort.find()
    }

    /// A server beside one that was started here, which lets in so many connections. Each end of one is an open file, of this
    /// program and of the server, which raises its own limit.
    init(like own: MeasuredServer.Own, lettingIn connections: Int) throws {
        try self.init(
            program: own.program,
            parent: own.parent,
            scryptCost: Bench.cheapHashing,
            environment: ["PARLEY_MAX_CONNECTIONS": "\(connections)"]
        )
    }

    /// Starts the server, lends it, ends it, and removes all that it wrote; also when the task is cancelled.
    func with<Value>(_ body: (MeasuredServer) async throws -> Value) async throws -> Value {
        defer { directory.remove() }
        let child = try await LoadProcess.start(
            command,
            environment: environment,
            output: FileDescriptor.open(log, O_RDWR | O_CREAT | O_APPEND)
        )
        return try await withEnding {
            try await body(try await ready(child))
        } ending: {
            await child.end()
        }
    }

    /// Starts a second process on the database of one that was started here, lends its address, and ends it.
    static func withSecond<Value>(
        beside server: MeasuredServer,
        _ body: (ServerAddress) async throws -> Value
    ) async throws -> Value {
        guard let own = server.own, let databaseURL = server.databaseURL else {
            throw Unmeasurable("a second process is started beside one that was started here: leave --server out")
        }
        let url = "http://127.0.0.1:\(try FreePort.find())"
        guard let address = ServerAddress(url) else { preconditionFailure("a URL made of a port has an address") }
        let child = try await LoadProcess.start(
            [own.program, "serve", "--port", "\(address.port)", "--limits", "off"],
            environment: [
                "DATABASE_URL": databaseURL, "PARLEY_MASTER_KEY_FILE": "\(own.dataDirectory)/master.key",
            ]
        )
        return try await withEnding {
            try await child.waits(until: "\(url)/readyz")
            return try await body(address)
        } ending: {
            await child.end()
        }
    }

    private var command: [String] {
        let cost = scryptCost.map { ["--scrypt-cost", "\($0)"] } ?? []
        return [program, "serve", "--data-dir", dataDirectory, "--port", "\(port)", "--limits", "off"] + cost
    }

    private func ready(_ child: LoadProcess) async throws -> MeasuredServer {
        let url = "http://127.0.0.1:\(port)"
        do {
            try await child.waits(until: "\(url)/readyz")
        } catch is LoadProcess.Ended {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            throw APIFailure.unreachable(request: "starting parley", reason: "it ended: \(text.suffix(500))")
        }
        guard let address = ServerAddress(url) else { preconditionFailure("a URL made of a port has an address") }
        return MeasuredServer(
            url: url,
            address: address,
            databaseURL: try await EmbeddedPostgres.runningURL(dataDirectory: dataDirectory),
            pid: child.pid,
            own: MeasuredServer.Own(program: program, dataDirectory: dataDirectory, parent: parent)
        )
    }
}
