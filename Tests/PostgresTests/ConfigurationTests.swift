import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct ConfigurationTests {
    private func connect(_ configuration: PostgresConfiguration) async throws -> PostgresConnection {
        try await PostgresConnection.connect(configuration, logger: TestDatabase.quiet)
    }

    @Test(arguments: [
        "postgresql://someone:hidden@db.example:5433/chat?sslmode=require",
        "host=db.example port=5433 user=someone password=hidden dbname=chat",
    ])
    func `a description shows where, and never the password`(url: String) {
        let configuration = PostgresConfiguration(url: url)
        #expect("\(configuration)" == "PostgreSQL (host=db.example port=5433 dbname=chat user=someone)")
        var shown = String(reflecting: configuration)
        dump(configuration, to: &shown)
        #expect(!shown.contains("hidden"))
    }

    @Test func `a malformed URL fails without quoting it`() async throws {
        let urls = [
            "hidden", "host=a pass word=hidden", "postgresql://someone:hidden@host:port:hidden/",
            "postgresql://someone:p@hidden@host:5432/chat", "postgresql://someone:p@hid:hidden@host/chat",
            "postgresql://someone:p/hidden@host/chat", "postgresql://someone:12/hidden@host/chat",
            "postgresql://someone:%zzhidden@host/chat",
        ]
        for url in urls {
            let error = await #expect(throws: PostgresConnectionError.self) {
                try await connect(PostgresConfiguration(url: url))
            }
            #expect(error.map { "\($0)".contains("malformed") && !"\($0)".contains("hidden") } == true)
            #expect(!"\(PostgresConfiguration(url: url))".contains("hidden"))
        }
    }

    @Test func `a service file holds what the URL says, and no more lines`() throws {
        let file = try PostgresConfiguration(
            url: "postgresql://someone:p%40ss%20word@db.example:5433/chat?sslmode=require"
        )
        .serviceFile(named: "bench")
        let lines = file.split(separator: "\n")
        #expect(lines.first == "[bench]")
        for line in ["host=db.example", "port=5433", "user=someone", "password=p@ss word", "sslmode=require"] {
            #expect(lines.contains { $0 == line })
        }
        for url in ["postgresql://someone:a%0Ahost=other@db.example/chat", "hidden"] {
            let error = #expect(throws: PostgresConnectionError.self) {
                try PostgresConfiguration(url: url).serviceFile(named: "bench")
            }
            #expect(error.map { !"\($0)".contains("hidden") } == true)
        }
    }

    @Test func `settings, role and name hold for the session`() async throws {
        let administrator = TestDatabase.current.administrator
        let role = "role \(UUID().uuidString.lowercased())"
        try await administrator.execute("CREATE ROLE \(identifier: role)")
        var configuration = TestDatabase.current.configuration
        configuration.applicationName = "a name"
        configuration.role = role
        configuration.settings = ["statement_timeout": "5s", "search_path": #"a, "b c", "d\e""#]
        let connection = try await connect(configuration)
        let row = try await connection.query(
            """
            SELECT current_user, current_setting('application_name') AS name, current_setting('statement_timeout') AS t,
                current_setting('search_path') AS path, current_setting('client_encoding') AS encoding
            """
        )[0]
        #expect(try row.decode("current_user") == role)
        #expect(try row.decode("name") == "a name")
        #expect(try row.decode("t") == "5s")
        #expect(try row.decode("path") == #"a, "b c", "d\e""#)
        #expect(try row.decode("encoding") == "UTF8")
        try await connection.execute("RESET ROLE")
        #expect(try await connection.query("SELECT current_user").only(String.self) == role)
        await connection.close()
        try await administrator.execute("DROP ROLE \(identifier: role)")
    }

    @Test func `what the URL says goes before the defaults`() async throws {
        let url = TestDatabase.current.url + " application_name=theirs options='-c statement_timeout=7s'"
        var configuration = PostgresConfiguration(url: url)
        configuration.settings = ["lock_timeout": "3s"]
        let connection = try await connect(configuration)
        let row = try await connection.query(
            """
            SELECT current_setting('application_name') AS name, current_setting('statement_timeout') AS statement,
                current_setting('lock_timeout') AS lock
            """
        )[0]
        #expect(try row.decode("name") == "theirs")
        #expect(try row.decode("statement") == "7s")
        #expect(try row.decode("lock") == "3s")
    }

    @Test func `a role or database that does not exist fails with the server's reason`() async throws {
        var configuration = TestDatabase.current.configuration
        configuration.role = "nobody_has_this_role"
        let error = await #expect(throws: PostgresConnectionError.self) { try await connect(configuration) }
        #expect(error.map { "\($0)".contains("nobody_has_this_role") } == true)
        let elsewhere = PostgresConfiguration(url: TestDatabase.current.url + " dbname=missing_database")
        let second = await #expect(throws: PostgresConnectionError.self) { try await connect(elsewhere) }
        #expect(second.map { "\($0)".contains("missing_database") } == true)
    }

    @Test func `a server that says nothing is given up`() async throws {
        let silent = try SilentServer()
        let configuration = PostgresConfiguration(url: silent.url, connectTimeout: .milliseconds(100))
        await #expect(throws: PostgresConnectionError.connectFailed("timed out")) { try await connect(configuration) }
    }

    @Test func `nobody listening is an error, and a pool hands it on`() async throws {
        let configuration = PostgresConfiguration(url: "host=/nonexistent dbname=x user=y")
        await #expect(throws: PostgresConnectionError.self) { try await connect(configuration) }
        let pool = PostgresPool(configuration, checkoutTimeout: .seconds(5), logger: TestDatabase.quiet)
        let error = await #expect(throws: PostgresConnectionError.self) { try await pool.execute("SELECT 1") }
        guard case .connectFailed? = error else {
            Issue.record("expected the reason of the failure, got \(String(describing: error))")
            return
        }
        await pool.close()
    }
}
