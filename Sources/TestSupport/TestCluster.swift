import Foundation
import Glibc
import Logging
import Postgres

/// The throwaway PostgreSQL of this test process: started by the first test that needs it, gone with the process.
package final class TestCluster: Sendable {
    private let postgres: EmbeddedPostgres
    private let administrator: PostgresPool
    private let directory: String
    /// Closed by the kernel when this process ends, however it ends; then the janitor clears up.
    private let sign: FileDescriptor
    private let janitor: ChildProcess

    private static let starting = Task { try await start() }

    /// Where the servers of this test process keep files: gone with it. Not in memory, as files may be large.
    private static let files = FileManager.default.temporaryDirectory.appendingPathComponent(
        "\(prefix)files-\(getpid())-\(UUID().uuidString.prefix(8).lowercased())"
    )

    /// The cluster, running.
    package static var shared: TestCluster {
        get async throws { try await starting.value }
    }

    /// How many databases may be in use at once; more tests wait their turn.
    static let gate = Gate(permits: 8)

    private static let prefix = "parley-test-"

    private init(postgres: EmbeddedPostgres, directory: String, sign: FileDescriptor, janitor: ChildProcess) {
        self.postgres = postgres
        self.directory = directory
        self.sign = sign
        self.janitor = janitor
        administrator = PostgresPool(
            PostgresConfiguration(url: postgres.url(database: "postgres")),
            maxConnections: 4,
            logger: Self.logger
        )
    }

    /// The path of a directory for the files of a server, which makes it.
    package static func newFileDirectory() -> String {
        files.appendingPathComponent(UUID().uuidString).path
    }

    /// Connects a superuser to a database of the cluster.
    package func url(database: String) -> String { postgres.url(database: database) }

    /// The process that PostgreSQL runs as.
    package var postmasterID: Int32 { postgres.postmasterID }

    /// Makes a database as a copy of another.
    func createDatabase(_ name: String, template: String = "template1") async throws {
        try await administrator.execute(
            "CREATE DATABASE \(identifier: name) TEMPLATE \(identifier: template) STRATEGY = file_copy"
        )
    }

    /// Drops a database, with the connections that a test left open.
    func dropDatabase(_ name: String) async throws {
        try await administrator.execute("DROP DATABASE IF EXISTS \(identifier: name) WITH (FORCE)")
    }

    static let logger: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    private static func start() async throws -> TestCluster {
        let directory = newDirectory()
        let options = EmbeddedPostgres.Options(dataDirectory: directory, profile: .throwaway, maxConnections: 600)
        let (reading, writing) = try FileDescriptor.pipe()
        let janitor = try await ChildProcess.start(
            ["/bin/sh", "-c", janitorScript, "janitor", directory, files.path],
            environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"],
            input: reading
        )
        let postgres = try await EmbeddedPostgres.start(options, logger: logger)
        return TestCluster(postgres: postgres, directory: directory, sign: writing, janitor: janitor)
    }

    /// The path of a new directory, which the next test process removes where nobody holds its `lock` any more.
    private static func newDirectory() -> String {
        let root = memoryDirectory()
        removeAbandoned(in: root)
        return "\(root)/\(prefix)\(getpid())-\(UUID().uuidString.prefix(8).lowercased())"
    }

    /// Makes a directory that others may pass.
    static func makeDirectory() throws -> String {
        let directory = newDirectory()
        guard mkdir(directory, 0o755) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return directory
    }

    /// Waits for the end of its input, which is the end of the test process, and clears up.
    private static let janitorScript = """
        cat >/dev/null
        file=$1/postgres/postmaster.pid
        sockets=$(sed -n 5p "$file")
        tries=100
        while [ -f "$file" ] && [ $tries -gt 0 ] && kill -QUIT "$(head -n 1 "$file")"; do
            sleep 0.1
            tries=$((tries - 1))
        done
        rm -rf -- "$1" "$2"
        case $sockets in */parley-*) rm -rf -- "$sockets" ;; esac
        """

    /// Memory where there is enough of it: containers often have 64 MB, too little for a PostgreSQL.
    private static func memoryDirectory() -> String {
        var status = statvfs()
        guard statvfs("/dev/shm", &status) == 0, access("/dev/shm", W_OK) == 0,
            UInt64(status.f_bavail) * UInt64(status.f_frsize) > 1 << 30
        else { return "/tmp" }
        return "/dev/shm"
    }

    /// Removes what a process left whose janitor was killed with it. A PostgreSQL whose files are gone ends by itself.
    private static func removeAbandoned(in root: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        for name in names where name.hasPrefix(prefix) {
            guard let lock = try? FileDescriptor.open("\(root)/\(name)/lock", O_RDWR | O_NOFOLLOW),
                flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(root)/\(name)")
        }
    }
}
