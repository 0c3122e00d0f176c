import Foundation
import Migrations
package import Postgres

/// A database of its own for one test, as the migrations leave it, dropped when the test is over.
package final class TestDatabase: Sendable {
    package let name: String
    /// Connects a superuser, for libpq.
    package let url: String
    /// Connections as the server has them: with the server's role and no more rights than that.
    package let pool: PostgresPool
    /// Connections of a superuser, for what a test does behind the server's back.
    package let administrator: PostgresPool

    package enum Content: Hashable, Sendable {
        /// All migrations applied.
        case migrated
        /// Nothing; its `pool` is the superuser's too, because the migrations make the server's role.
        case empty
    }

    @TaskLocal private static var running: TestDatabase?

    /// The database of the running test.
    package static var current: TestDatabase {
        guard let running else {
            preconditionFailure("a test without the trait .database or .emptyDatabase has no database")
        }
        return running
    }

    /// Makes a database, runs the test with it as the current one, and drops it.
    static func with(_ content: Content, perform test: () async throws -> Void) async throws {
        try await TestCluster.gate.pass {
            let database = try await make(content)
            let result: Result<Void, any Error>
            do {
                result = .success(try await $running.withValue(database, operation: test))
            } catch {
                result = .failure(error)
            }
            try await database.drop()
            try result.get()
        }
    }

    private init(name: String, url: String, content: Content) {
        self.name = name
        self.url = url
        let administrator = Self.pool(url)
        self.administrator = administrator
        pool = content == .migrated ? Self.pool(url, role: "parley_server") : administrator
    }

    /// Many tests run at once: who waits for a connection has as much time as the test.
    private static func pool(_ url: String, role: String? = nil) -> PostgresPool {
        var configuration = PostgresConfiguration(url: url, role: role, connectTimeout: .seconds(60))
        // As servers are.
        if role != nil { configuration = configuration.planningOnce(bitmaps: true) }
        return PostgresPool(configuration, checkoutTimeout: .seconds(120), logger: TestCluster.logger)
    }

    private static func make(_ content: Content) async throws -> TestDatabase {
        let cluster = try await TestCluster.shared
        let name = "test_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
        let template = content == .migrated ? try await MigratedTemplate.name : "template1"
        try await cluster.createDatabase(name, template: template)
        return TestDatabase(name: name, url: cluster.url(database: name), content: content)
    }

    private func drop() async throws {
        await pool.close()
        await administrator.close()
        try await TestCluster.shared.dropDatabase(name)
    }
}

/// The database that all migrated ones are copies of: migrating once and copying files is much faster.
private enum MigratedTemplate {
    private static let making = Task { try await make() }

    static var name: String {
        get async throws { try await making.value }
    }

    private static func make() async throws -> String {
        let name = "migrated"
        let cluster = try await TestCluster.shared
        try await cluster.createDatabase(name)
        let configuration = PostgresConfiguration(url: cluster.url(database: name))
        let connection = try await PostgresConnection.connect(configuration, logger: TestCluster.logger)
        _ = try await Migrator(files: Migrations.all).run(on: connection)
        // PostgreSQL copies only databases that nobody is connected to.
        await connection.close()
        // The first session after a change of the tables writes down what every session begins with: then the copies have it.
        try await PostgresConnection.connect(configuration, logger: TestCluster.logger).close()
        return name
    }
}
