import Foundation
import Glibc
package import Postgres

/// A PostgreSQL and an asynchronous standby of it, under one address that moves from the one to the other: what a failover
/// looks like from a server. Both end with this process, however it ends.
package final class PostgresPair: Sendable {
    private struct Node: Sendable {
        let postmaster: ChildProcess
        let sockets: String
    }

    private let place: Place
    private let primary: Node
    private let standby: Node

    /// Runs a pair while the test's body runs.
    package static func with(_ body: (PostgresPair) async throws -> Void) async throws {
        let place = try await Place.make()
        let result: Result<Void, any Error>
        do {
            let pair = try await start(in: place)
            do {
                result = .success(try await body(pair))
            } catch {
                result = .failure(error)
            }
            for node in [pair.primary, pair.standby] {
                node.postmaster.signal(SIGQUIT)
                _ = await node.postmaster.wait()
            }
        } catch {
            result = .failure(error)
        }
        place.remove()
        try result.get()
    }

    private init(place: Place, primary: Node, standby: Node) {
        self.place = place
        self.primary = primary
        self.standby = standby
    }

    private static func start(in place: Place) async throws -> PostgresPair {
        let options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        try await place.run("initdb", ["--pgdata=\(place.path)/first"] + options)
        let primary = try await start("first", in: place)
        try await place.run(
            "pg_basebackup",
            [
                "--host=\(primary.sockets)", "--username=postgres", "--pgdata=\(place.path)/second",
                "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync",
            ]
        )
        let standby = try await start("second", in: place)
        let pair = PostgresPair(place: place, primary: primary, standby: standby)
        try pair.move(to: primary)
        return pair
    }

    private static func start(_ name: String, in place: Place) async throws -> Node {
        let sockets = try place.makeDirectory("\(name)-sockets")
        let settings = [
            "listen_addresses=", "unix_socket_directories=\(sockets)", "port=5432", "fsync=off",
            "wal_level=replica", "hot_standby=on", "max_wal_senders=4", "shared_buffers=32MB",
            "dynamic_shared_memory_type=mmap", "checkpoint_timeout=1h", "autovacuum=off", "jit=off",
        ]
        let postmaster = try await ChildProcess.start(
            try place.command("postgres", ["-D", "\(place.path)/\(name)"] + settings.flatMap { ["-c", $0] }),
            environment: ServerAccount.environment,
            output: try FileDescriptor.open("\(place.path)/\(name).log", O_RDWR | O_CREAT | O_APPEND)
        )
        let node = Node(postmaster: postmaster, sockets: sockets)
        while true {
            do {
                try await with(node) { _ in }
                return node
            } catch {
                // Not yet, unless it has ended.
                guard postmaster.exitStatus == nil else { throw error }
                await Task.pause()
            }
        }
    }

    // MARK: What a test does

    /// Connects a superuser to whoever has the address, for libpq.
    package var url: String { Self.url(place.address) }

    /// Connects to the standby, whoever has the address.
    package func withStandby<T>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        try await Self.with(standby, body)
    }

    /// Cuts the standby off, once it has everything that was committed before the call.
    package func detach() async throws {
        let end = try await Self.with(primary) { connection in
            try await connection.query("SELECT pg_current_wal_lsn()::text").first?.decode(0, as: String.self)
        }
        try await withStandby { connection in
            try await Self.wait(for: "SELECT pg_last_wal_replay_lsn() >= \(end)::text::pg_lsn", on: connection)
            try await connection.script("ALTER SYSTEM SET primary_conninfo = ''")
            try await connection.script("SELECT pg_reload_conf()")
            try await Self.wait(for: "SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)", on: connection)
        }
    }

    /// Kills the primary, as a power cut does, and gives its address to the standby, which is promoted then.
    package func failOver() async throws {
        primary.postmaster.signal(SIGQUIT)
        _ = await primary.postmaster.wait()
        try move(to: standby)
        try await withStandby { try await $0.script("SELECT pg_promote()") }
    }

    private static func wait(for condition: SQL, on connection: PostgresConnection) async throws {
        while try await connection.query(condition).first?.decode(0, as: Bool?.self) != true { await Task.pause() }
    }

    /// In one step, so that nobody finds nothing there.
    private func move(to node: Node) throws {
        let new = "\(place.address).new"
        guard symlink(node.sockets, new) == 0, rename(new, place.address) == 0 else { throw lastError() }
    }

    private static func with<T>(
        _ node: Node,
        _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        let configuration = PostgresConfiguration(url: url(node.sockets))
        let connection = try await PostgresConnection.connect(configuration, logger: TestCluster.logger)
        let result: Result<T, any Error>
        do {
            result = .success(try await body(connection))
        } catch {
            result = .failure(error)
        }
        await connection.close()
        return try result.get()
    }

    private static func url(_ sockets: String) -> String {
        "host='\(sockets)' port=5432 user=postgres dbname=postgres"
    }
}

/// Where a pair lives, and as whom.
private struct Place: Sendable {
    let path: String
    let installation: PostgresInstallation
    let account: ServerAccount
    /// Held as long as this process lives: the next one removes what is not.
    let lock: FileDescriptor

    static func make() async throws -> Place {
        let path = try TestCluster.makeDirectory()
        let lock = try FileDescriptor.open("\(path)/lock", O_RDWR | O_CREAT | O_NOFOLLOW)
        guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw lastError() }
        let place = Place(
            path: path,
            installation: try await PostgresInstallation.find(setting: nil, requiredVersion: nil),
            account: try ServerAccount.current(),
            lock: lock
        )
        for name in ["first", "second"] { _ = try place.makeDirectory(name) }
        return place
    }

    /// A link to the directory with the sockets of whoever has the address.
    var address: String { "\(path)/address" }

    func makeDirectory(_ name: String) throws -> String {
        let path = "\(path)/\(name)"
        guard mkdir(path, 0o700) == 0 else { throw lastError() }
        try account.own(path)
        return path
    }

    func command(_ program: String, _ arguments: [String]) throws -> [String] {
        try account.command(installation.program(program), arguments, onParentDeath: "QUIT")
    }

    func run(_ program: String, _ arguments: [String]) async throws {
        let ended = try await ChildProcess.run(
            try command(program, arguments),
            environment: ServerAccount.environment
        )
        guard ended.status.isSuccess else {
            throw EmbeddedPostgresError.failed(program: program, status: ended.status, output: ended.output)
        }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}

private func lastError() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
}
