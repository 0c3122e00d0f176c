import Foundation
import Glibc
package import Logging
import Synchronization

/// A private PostgreSQL that lives and ends with this process.
///
/// `start` makes the database on the first start, ends whatever a killed server left running, and returns when
/// connections are accepted; `run` restarts PostgreSQL if it dies; `stop` ends both. Clients connect through a Unix
/// socket in a directory that only PostgreSQL's account (and root) can enter; it does not listen on the network.
package final class EmbeddedPostgres: Sendable {
    package enum Profile: Hashable, Sendable {
        /// What was committed survives a power cut.
        case durable
        /// Fast, and lost with the machine: for tests.
        case throwaway
    }

    package struct Options: Sendable {
        package var dataDirectory: String
        package var profile: Profile
        package var maxConnections: Int
        /// The directory of PostgreSQL's programs; searched for where nil.
        package var binaries: String?
        /// Called with the data directory, locked, before the first start makes a database in it.
        package var beforeCreation: @Sendable (String) throws -> Void

        package init(
            dataDirectory: String,
            profile: Profile = .durable,
            maxConnections: Int = 64,
            binaries: String? = nil,
            beforeCreation: @escaping @Sendable (String) throws -> Void = { _ in }
        ) {
            self.dataDirectory = dataDirectory
            self.profile = profile
            self.maxConnections = maxConnections
            self.binaries = binaries
            self.beforeCreation = beforeCreation
        }
    }

    /// The database that the first start makes for the product.
    package static let defaultDatabase = "parley"

    let launch: PostgresLaunch
    let logger: Logger
    private let state: Mutex<State>

    private struct State {
        var postmaster: ChildProcess
        var isStopping = false
    }

    /// Starts PostgreSQL and waits until it accepts connections, recovery after a crash included.
    ///
    /// - Throws: `EmbeddedPostgresError`, or `CancellationError`; then nothing is left running.
    package static func start(_ options: Options, logger: Logger) async throws -> EmbeddedPostgres {
        let launch = try await PostgresLaunch.prepare(options, logger: logger)
        let postmaster = try await launch.start(logger: logger) { Task.isCancelled }
        return EmbeddedPostgres(launch: launch, postmaster: postmaster, logger: logger)
    }

    private init(launch: PostgresLaunch, postmaster: ChildProcess, logger: Logger) {
        self.launch = launch
        self.logger = logger
        state = Mutex(State(postmaster: postmaster))
    }

    /// Connects a superuser to a database, for libpq.
    package func url(database: String = defaultDatabase) -> String {
        Self.url(socketDirectory: launch.socketDirectory, database: database)
    }

    /// The process that PostgreSQL runs as now.
    package var postmasterID: Int32 { state.withLock { $0.postmaster.pid } }

    /// Keeps PostgreSQL running until `requestStop` is called or the task is cancelled, and returns when it has ended.
    package func run() async {
        await withTaskCancellationHandler {
            while true {
                let postmaster = state.withLock { $0.postmaster }
                let status = await postmaster.wait()
                if isStopping { return }
                logger.error("PostgreSQL died, starting it again", metadata: ["status": "\(status)"])
                await restart()
            }
        } onCancel: {
            requestStop()
        }
    }

    /// Begins a fast shutdown: PostgreSQL rolls back what is open, disconnects its clients and writes everything out.
    package func requestStop() {
        state.withLock { state in
            state.isStopping = true
            state.postmaster.signal(SIGINT)
        }
    }

    /// Ends PostgreSQL, and returns when it has ended.
    package func stop() async {
        requestStop()
        let postmaster = state.withLock { $0.postmaster }
        await end(postmaster)
        launch.cleanUp()
    }

    private func end(_ postmaster: ChildProcess) async {
        for (limit, next) in [(Duration.seconds(60), SIGQUIT), (.seconds(5), SIGKILL)] {
            if await postmaster.wait(atMost: limit) != nil { return }
            logger.warning("PostgreSQL does not stop", metadata: ["signal": "\(next)"])
            postmaster.signal(next)
        }
        _ = await postmaster.wait()
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Tries until it works or is no longer wanted, less and less often.
    private func restart() async {
        var delay = Duration.milliseconds(100)
        while !isStopping {
            do {
                try await launch.leftovers.end(logger: logger)
                let postmaster = try await launch.start(logger: logger) { self.isStopping }
                state.withLock { state in
                    state.postmaster = postmaster
                    // The stop may have come between the start and this line, and met the old process.
                    if state.isStopping { postmaster.signal(SIGINT) }
                }
                logger.notice("PostgreSQL runs again")
                return
            } catch {
                logger.error("PostgreSQL does not start again", metadata: ["error": "\(error)"])
            }
            let deadline = ContinuousClock.now + delay
            while !isStopping, ContinuousClock.now < deadline { await pauseBriefly() }
            delay = min(delay * 2, .seconds(10))
        }
    }

    static func url(socketDirectory: String, database: String) -> String {
        "host='\(socketDirectory)' port=\(PostgresLaunch.port) user=\(PostgresLaunch.superuser) dbname='\(database)'"
    }
}

extension EmbeddedPostgres {
    /// Whether a cluster was made in a data directory.
    package static func exists(in dataDirectory: String) -> Bool {
        guard let path = DataDirectory.canonicalPath(dataDirectory) else { return false }
        // Another account's directory may be closed to this one; using it will tell.
        return access("\(DataDirectory.cluster(in: path))/PG_VERSION", F_OK) == 0 || errno == EACCES
    }

    /// Connects to the PostgreSQL that a running server keeps in this data directory; nil where no server runs.
    ///
    /// Waits for a server that is just starting or restarting its PostgreSQL, up to ten seconds.
    ///
    /// - Throws: `EmbeddedPostgresError.unusableDirectory` where this account may not connect.
    package static func runningURL(
        dataDirectory: String,
        database: String = defaultDatabase
    ) async throws -> String? {
        guard let path = DataDirectory.canonicalPath(dataDirectory) else { return nil }
        let cluster = DataDirectory.cluster(in: path)
        guard access(cluster, R_OK | X_OK) == 0 || errno != EACCES else {
            throw EmbeddedPostgresError.unusableDirectory(path: path, reason: "it belongs to another account")
        }
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            if let file = PostmasterFile(cluster: cluster), file.isReady, kill(file.pid, 0) == 0 || errno == EPERM {
                return url(socketDirectory: file.socketDirectory, database: database)
            }
            guard DataDirectory.isLocked(path), ContinuousClock.now < deadline else { return nil }
            await pauseBriefly()
        }
    }

    /// The process that PostgreSQL runs as in this data directory; nil where none runs.
    package static func postmasterID(dataDirectory: String) -> Int32? {
        PostmasterFile(cluster: DataDirectory.cluster(in: dataDirectory))?.pid
    }

    /// Where the socket of the PostgreSQL that runs in this data directory lies; nil where none runs.
    package static func socketDirectory(dataDirectory: String) -> String? {
        PostmasterFile(cluster: DataDirectory.cluster(in: dataDirectory))?.socketDirectory
    }
}
