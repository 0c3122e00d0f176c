import Foundation
import Postgres
import TestSupport
import Testing

/// A PostgreSQL that takes passwords (SCRAM) over TLS alone, for a name that its certificate has: `localhost`.
struct SecureServer: Sendable {
    static let password = "pencil \u{E9}"

    let directory: String
    let port: UInt16

    /// Whether this machine can make certificates; `Deploy/test` sees to it.
    static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// What libpq is told beside the host.
    func url(host: String, _ more: String = "", password: String = password) -> String {
        "host=\(host) port=\(port) user=ada dbname=postgres password='\(password)' "
            + "sslmode=verify-full sslrootcert=\(directory)/ca.pem \(more)"
    }

    /// Runs `body` with such a server, and leaves nothing of it behind.
    static func with(_ body: (SecureServer) async throws -> Void) async throws {
        let directory = "/dev/shm/parley-tls-\(UUID().uuidString.prefix(8).lowercased())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = SecureServer(directory: directory, port: try freePort())
        let postmaster = try await server.start()
        let result: Result<Void, any Error>
        do {
            try await server.waits(for: postmaster)
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        postmaster.signal(SIGQUIT)
        _ = await postmaster.wait()
        try result.get()
    }

    private func start() async throws -> ChildProcess {
        let account = try ServerAccount.current()
        let installation = try await PostgresInstallation.find(setting: nil, requiredVersion: nil)
        for name in ["data", "sockets"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)",
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            try account.own("\(directory)/\(name)")
        }
        try await makeCertificates(account)
        try await run(
            account.command(
                installation.program("initdb"),
                ["--pgdata=\(directory)/data", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"],
                onParentDeath: "KILL"
            )
        )
        // Over the network SCRAM and TLS, and nothing without.
        let rules = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"
        try Data(rules.utf8).write(to: URL(fileURLWithPath: "\(directory)/hba"))
        chmod("\(directory)/hba", 0o644)
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(directory)/sockets", "fsync=off",
            "ssl=on", "ssl_cert_file=\(directory)/server.pem", "ssl_key_file=\(directory)/server.key",
            "hba_file=\(directory)/hba", "password_encryption=scram-sha-256", "shared_buffers=32MB",
            "dynamic_shared_memory_type=mmap", "autovacuum=off", "jit=off",
        ]
        return try await ChildProcess.start(
            try account.command(
                installation.program("postgres"),
                ["-D", "\(directory)/data"] + settings.flatMap { ["-c", $0] },
                onParentDeath: "QUIT"
            ),
            environment: ServerAccount.environment,
            output: try FileDescriptor.open("\(directory)/log", O_RDWR | O_CREAT | O_APPEND)
        )
    }

    /// An authority, a certificate of its for `localhost`, and an authority that has nothing to do with either.
    private func makeCertificates(_ account: ServerAccount) async throws {
        for name in ["ca", "other-ca"] {
            try await openssl(
                "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=\(name) -keyout \(name).key -out \(name).pem"
            )
        }
        try await openssl(
            "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost "
                + "-addext basicConstraints=CA:FALSE -CA ca.pem -CAkey ca.key -keyout server.key -out server.pem"
        )
        for name in ["server.key", "server.pem"] { try account.own("\(directory)/\(name)") }
        chmod("\(directory)/server.key", 0o600)
    }

    private func openssl(_ arguments: String) async throws {
        let script = "cd \(directory) && openssl \(arguments)"
        try await run(["/bin/sh", "-c", script])
    }

    private func run(_ command: [String]) async throws {
        let ended = try await ChildProcess.run(command, environment: ServerAccount.environment)
        try #require(ended.status.isSuccess, "\(command): \(ended.output)")
    }

    private func waits(for postmaster: ChildProcess) async throws {
        let local = PostgresConfiguration(
            url: "host=\(directory)/sockets port=\(port) user=postgres dbname=postgres"
        )
        while true {
            do {
                let connection = try await PostgresConnection.connect(local, logger: TestDatabase.quiet)
                try await connection.script("CREATE ROLE ada LOGIN PASSWORD '\(Self.password)'")
                return await connection.close()
            } catch let error as PostgresConnectionError {
                let log = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
                try #require(postmaster.exitStatus == nil, "PostgreSQL ended: \(error) \(log)")
                await Task.pause()
            }
        }
    }

    private static func freePort() throws -> UInt16 {
        let url = try SilentServer().url
        return try #require(url.split(separator: ":").last.flatMap { UInt16($0.prefix { $0.isNumber }) })
    }
}
