import Foundation

/// A PostgreSQL on this machine: the directory of its programs and its major version.
package struct PostgresInstallation: Hashable, Sendable {
    let binaries: String
    let majorVersion: Int

    /// The oldest version that Parley works with.
    static let oldestSupported = 15

    /// Finds the installation to use.
    ///
    /// - Parameters:
    ///   - setting: the directory of the programs, where the operator names it.
    ///   - requiredVersion: the major version that made the data directory, which no other version can open; the
    ///     newest installed where nil.
    package static func find(setting: String?, requiredVersion: Int?) async throws -> PostgresInstallation {
        if let setting {
            guard let installation = await PostgresInstallation(binaries: setting) else {
                throw EmbeddedPostgresError.notInstalled("there is none in \(setting)")
            }
            return try installation.checked(against: requiredVersion)
        }
        var all: [PostgresInstallation] = []
        for directory in candidates() {
            guard let installation = await PostgresInstallation(binaries: directory) else { continue }
            all.append(installation)
        }
        all = all.filter { $0.majorVersion >= oldestSupported }.sorted { $0.majorVersion > $1.majorVersion }
        if let requiredVersion, !all.isEmpty {
            guard let match = all.first(where: { $0.majorVersion == requiredVersion }) else {
                return try all[0].checked(against: requiredVersion)
            }
            return match
        }
        guard let newest = all.first else {
            throw EmbeddedPostgresError.notInstalled(
                "install the package postgresql (version \(oldestSupported) or newer), or set DATABASE_URL"
            )
        }
        return newest
    }

    package func program(_ name: String) -> String { "\(binaries)/\(name)" }

    private init?(binaries: String) async {
        guard
            FileManager.default.isExecutableFile(atPath: "\(binaries)/initdb"),
            let version = await Self.majorVersion(of: "\(binaries)/postgres")
        else { return nil }
        self.binaries = binaries
        majorVersion = version
    }

    private func checked(against requiredVersion: Int?) throws -> PostgresInstallation {
        guard let requiredVersion, requiredVersion != majorVersion else { return self }
        throw EmbeddedPostgresError.notInstalled(
            "the data directory was made by version \(requiredVersion), and only version \(majorVersion) is here; "
                + "install postgresql-\(requiredVersion), or move the data with pg_dump"
        )
    }

    private static func candidates() -> [String] {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        var directories = versions.map { "\(root)/\($0)/bin" }
        if let inPath = ExecutableSearch.find("postgres") {
            directories.append(URL(fileURLWithPath: inPath).resolvingSymlinksInPath().deletingLastPathComponent().path)
        }
        return directories
    }

    /// Asks the program, because a directory's name proves nothing.
    private static func majorVersion(of program: String) async -> Int? {
        let result = try? await ChildProcess.run([program, "--version"], environment: ServerAccount.environment)
        guard let result, result.status.isSuccess else { return nil }
        // "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
        return result.output.split(separator: " ").lazy.compactMap { Int($0.prefix { $0.isNumber }) }.first
    }
}
