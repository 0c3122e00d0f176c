import Foundation
import Glibc

/// Makes PostgreSQL's files on the first start: beside their place and then renamed, so that a half-made database is
/// never taken for a whole one.
struct ClusterCreation: Sendable {
    let directory: DataDirectory
    let account: ServerAccount
    let installation: PostgresInstallation

    func run(isThrowaway: Bool) async throws {
        try removeUnfinished()
        let place = "\(directory.path)/\(Self.prefix)\(UUID().uuidString.lowercased())"
        guard mkdir(place, 0o700) == 0 else {
            throw EmbeddedPostgresError.unusableDirectory(path: directory.path, reason: "it cannot be written")
        }
        try account.own(place)
        try await makeCluster(in: place, isThrowaway: isThrowaway)
        try await makeDatabase(in: place)
        try include(in: place)
        // An empty directory, or one that a person made by hand, gives way; one with content must not.
        rmdir(directory.cluster)
        guard rename(place, directory.cluster) == 0 else {
            throw EmbeddedPostgresError.unusableDirectory(
                path: directory.cluster,
                reason: "it is there, but not a database"
            )
        }
        try sync(directory.path)
    }

    private static let prefix = "postgres.unfinished-"

    private func removeUnfinished() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where name.hasPrefix(Self.prefix) {
            try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
        }
    }

    private func makeCluster(in place: String, isThrowaway: Bool) async throws {
        // Compared byte by byte, the same on every machine and the fastest; upper and lower case as Unicode has them.
        let hasUnicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil).map { freelocale($0) } != nil
        var arguments = [
            "--pgdata=\(place)", "--username=\(PostgresLaunch.superuser)", "--encoding=UTF8",
            // The file that is made by this is not the one that is used, but where people start PostgreSQL by hand.
            "--auth=\(isThrowaway ? "trust" : "peer")",
            "--locale=C", "--lc-ctype=\(hasUnicode ? "C.UTF-8" : "C")", "--data-checksums",
        ]
        if isThrowaway { arguments.append("--no-sync") }
        try await run("initdb", arguments, input: nil)
    }

    /// In single-user mode, so that the database is there before anyone can connect.
    private func makeDatabase(in place: String) async throws {
        let input = try FileDescriptor.anonymous()
        let statement = Array("CREATE DATABASE \(EmbeddedPostgres.defaultDatabase)\n".utf8)
        guard pwrite(input.rawValue, statement, statement.count, 0) == statement.count else { throw lastPOSIXError() }
        lseek(input.rawValue, 0, SEEK_SET)
        let arguments = ["--single", "-D", place, "-c", "exit_on_error=on", "-j", "postgres"]
        try await run("postgres", arguments, input: input)
    }

    private func run(_ program: String, _ arguments: [String], input: FileDescriptor?) async throws {
        let result = try await ChildProcess.run(
            try account.command(installation.program(program), arguments, onParentDeath: "KILL"),
            environment: ServerAccount.environment,
            input: input
        )
        guard result.status.isSuccess else {
            let output = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
            throw EmbeddedPostgresError.failed(program: program, status: result.status, output: output)
        }
    }

    private func include(in place: String) throws {
        let line = """

            # Parley's own settings, written anew at every start. Settings after this line win.
            include_if_exists = '../\(DataDirectory.settingsName)'

            """
        let file = try FileDescriptor.open("\(place)/postgresql.conf", O_WRONLY | O_APPEND | O_NOFOLLOW)
        let bytes = Array(line.utf8)
        guard write(file.rawValue, bytes, bytes.count) == bytes.count else { throw lastPOSIXError() }
        guard fsync(file.rawValue) == 0 else { throw lastPOSIXError() }
    }

    /// Makes the rename itself survive a power cut.
    private func sync(_ path: String) throws {
        let directory = try FileDescriptor.open(path, O_RDONLY)
        guard fsync(directory.rawValue) == 0 else { throw lastPOSIXError() }
    }
}
