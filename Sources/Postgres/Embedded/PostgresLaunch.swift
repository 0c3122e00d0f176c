import Foundation
import Glibc
import Logging

/// Everything that starting PostgreSQL takes: programs, directories, account.
struct PostgresLaunch: Sendable {
    let directory: DataDirectory
    let socketDirectory: String
    let account: ServerAccount
    let installation: PostgresInstallation
    let leftovers: LeftoverProcesses
    /// nil where whoever reaches the socket is let in: for tests.
    let access: SocketAccess?

    /// Names the socket file; there is no network port.
    static let port = 5432
    static let superuser = "postgres"

    /// Locks the data directory, ends what an earlier server left running, and makes the database if there is none.
    static func prepare(_ options: EmbeddedPostgres.Options, logger: Logger) async throws -> PostgresLaunch {
        let account = try ServerAccount.current(owning: DataDirectory.cluster(in: options.dataDirectory))
        let directory = try DataDirectory.lock(options.dataDirectory, for: account)
        let version = try? String(contentsOfFile: "\(directory.cluster)/PG_VERSION", encoding: .utf8)
        let installation = try await PostgresInstallation.find(
            setting: options.binaries,
            requiredVersion: version.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        )
        let name = SocketDirectory.name(for: directory.path)
        let leftovers = LeftoverProcesses(cluster: directory.cluster, name: name, account: account)
        try await leftovers.end(logger: logger)
        if version == nil {
            logger.notice("Making a new database", metadata: ["directory": "\(directory.path)"])
            try options.beforeCreation(directory.path)
            try await ClusterCreation(directory: directory, account: account, installation: installation)
                .run(isThrowaway: options.profile == .throwaway)
        }
        // A throwaway database writes no whole pages.
        let hasLZ4 = try await options.profile == .durable ? isBuiltWithLZ4(installation, directory, account) : false
        let tuning = PostgresTuning(
            profile: options.profile,
            maxConnections: options.maxConnections,
            memory: PostgresTuning.availableMemory(),
            hasLZ4: hasLZ4
        )
        try FileDescriptor.replace(directory.settings, with: tuning.text, mode: 0o644)
        let access = options.profile == .durable ? SocketAccess(directory: directory) : nil
        try access?.write()
        return PostgresLaunch(
            directory: directory,
            socketDirectory: try SocketDirectory.make(for: directory.path, account: account),
            account: account,
            installation: installation,
            leftovers: leftovers,
            access: access
        )
    }

    /// Asks the program, as that depends on how it was built: it refuses a value that it does not know.
    private static func isBuiltWithLZ4(
        _ installation: PostgresInstallation,
        _ directory: DataDirectory,
        _ account: ServerAccount
    ) async throws -> Bool {
        let arguments = ["-C", "wal_compression", "-D", directory.cluster, "-c", "wal_compression=lz4"]
        let result = try await ChildProcess.run(
            try account.command(installation.program("postgres"), arguments, onParentDeath: "KILL"),
            environment: ServerAccount.environment
        )
        return result.status.isSuccess
    }

    /// Starts PostgreSQL and waits until it accepts connections.
    ///
    /// There is no deadline: recovery takes as long as it takes, and a PostgreSQL that cannot start ends by itself.
    func start(logger: Logger, isCancelled: () -> Bool) async throws -> ChildProcess {
        // Made again at a restart: a cleaner of /tmp may have taken it.
        _ = try SocketDirectory.make(for: directory.path, account: account)
        removeStaleSocket()
        let log = try openLog()
        let logStart = log.size
        let postmaster = try await ChildProcess.start(
            try account.command(installation.program("postgres"), arguments, onParentDeath: "INT"),
            environment: ServerAccount.environment,
            output: log
        )
        var nextNotice = ContinuousClock.now + .seconds(10)
        while true {
            if let status = postmaster.exitStatus {
                throw EmbeddedPostgresError.failed(
                    program: "postgres",
                    status: status,
                    output: log.text(from: logStart).trimmingCharacters(in: .whitespacesAndNewlines)
                )
            }
            if let file = PostmasterFile(cluster: directory.cluster), file.pid == postmaster.pid, file.isReady {
                return postmaster
            }
            if isCancelled() {
                postmaster.signal(SIGQUIT)
                _ = await postmaster.wait()
                throw EmbeddedPostgresError.stopped
            }
            if ContinuousClock.now > nextNotice {
                nextNotice += .seconds(10)
                logger.notice("PostgreSQL is still starting", metadata: ["log": "\(directory.log)"])
            }
            await pauseBriefly()
        }
    }

    /// Removes what lies outside of the data directory and gives the directory free, once PostgreSQL has ended.
    func cleanUp() {
        removeStaleSocket()
        rmdir(socketDirectory)
        directory.unlock()
    }

    /// What must hold whatever the configuration files say, and what tells the processes from others.
    private var arguments: [String] {
        let settings =
            [
                "listen_addresses=",
                "unix_socket_directories=\(socketDirectory)",
                "unix_socket_permissions=0700",
                "port=\(Self.port)",
                "cluster_name=\(leftovers.name)",
            ] + (access?.arguments ?? [])
        return ["-D", directory.cluster] + settings.flatMap { ["-c", $0] }
    }

    /// PostgreSQL takes a stale socket away by itself, unless its lock file names a number that lives again.
    private func removeStaleSocket() {
        unlink("\(socketDirectory)/.s.PGSQL.\(Self.port)")
        unlink("\(socketDirectory)/.s.PGSQL.\(Self.port).lock")
    }

    /// The log of a quiet server is a few lines per start; what is over the limit is moved aside once.
    private func openLog() throws -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW
        let log = try FileDescriptor.open(directory.log, flags)
        guard log.size > 8 << 20 else { return log }
        rename(directory.log, "\(directory.log).old")
        return try FileDescriptor.open(directory.log, flags)
    }
}
