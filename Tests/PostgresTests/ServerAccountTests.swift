import Foundation
import Postgres
import Testing

/// The account that the private PostgreSQL runs under.
struct ServerAccountTests {
    private static let isRoot = geteuid() == 0

    @Test(arguments: ["nobody", "nfsnobody", "daemon"])
    func `is none that many programs run as, whatever its number`(name: String) {
        #expect(ServerAccount.isShared(1_234, named: name))
    }

    @Test func `is not the one without a number either`() {
        #expect(ServerAccount.isShared(65_534, named: nil))
        #expect(ServerAccount.isShared(65_534, named: "someone"))
    }

    @Test(arguments: ["parley", "postgres", "nobody2", nil])
    func `may be one of its own, by whatever name`(name: String?) {
        #expect(!ServerAccount.isShared(1_234, named: name))
    }

    @Test(.enabled(if: isRoot, "only root can give files away, and runs PostgreSQL as another"))
    func `an old directory of nobody's is refused with what to do`() throws {
        let cluster = "/tmp/parley-account-\(UUID().uuidString.lowercased())"
        defer { try? FileManager.default.removeItem(atPath: cluster) }
        try FileManager.default.createDirectory(atPath: cluster, withIntermediateDirectories: false)
        let version = "\(cluster)/PG_VERSION"
        try Data("17\n".utf8).write(to: URL(fileURLWithPath: version))
        try #require(chown(version, 65_534, 65_534) == 0)
        let error = #expect(throws: EmbeddedPostgresError.self) { _ = try ServerAccount.current(owning: cluster) }
        #expect(error?.description.contains("chown -R parley: \(cluster)") == true)
        try #require(chown(version, 1_234, 1_234) == 0)
        _ = try ServerAccount.current(owning: cluster)
    }
}
