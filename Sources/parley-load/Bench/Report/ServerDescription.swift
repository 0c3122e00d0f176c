import Foundation
import ParleyWire
import Postgres

/// Which Parley was measured, on which PostgreSQL.
struct ServerDescription: Sendable, Encodable {
    var version = "unknown"
    /// The commit that the measured program's directory is at, where it lies in a checkout.
    var commit: String?
    var durability: Durability?
    /// Whether this program started the server, with production settings.
    var isStaged = false

    /// - Parameter account: somebody who may ask.
    static func read(_ server: MeasuredServer, account: Account) async throws -> ServerDescription {
        let info = try await account.send(.get("/v1/server")).decode(ServerInfo.self)
        return ServerDescription(
            version: info.version,
            commit: await commit(of: server),
            durability: try? await server.withDatabase { try await Durability.read($0) },
            isStaged: server.own != nil
        )
    }

    private static func commit(of server: MeasuredServer) async -> String? {
        guard let program = server.own?.program, let git = ExecutableSearch.find("git") else { return nil }
        let directory = URL(fileURLWithPath: program).resolvingSymlinksInPath().deletingLastPathComponent().path
        let output = try? await LoadProcess.run([git, "-C", directory, "describe", "--always", "--dirty"])
        return output?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    var description: String {
        let postgres = durability?.settings ?? [:]
        let names = ["fsync", "full_page_writes", "synchronous_commit", "wal_level"]
        let shown = names.map { "\($0)=\(postgres[$0] ?? "?")" }
        return "Parley \(version)\(commit.map { " (\($0))" } ?? ""), PostgreSQL \(postgres["server_version"] ?? "?"): "
            + shown.joined(separator: " ")
    }
}
