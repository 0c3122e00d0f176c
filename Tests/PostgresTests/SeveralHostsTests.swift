import Foundation
import Postgres
import TestSupport
import Testing

/// A connection that names more than one host.
@Suite(.emptyDatabase, .timeLimit(.minutes(10)))
struct SeveralHostsTests {
    /// The hosts before the test's own, which is found in the end.
    private func configuration(
        behind hosts: [(host: String, port: String)],
        _ more: String = "",
        timeout: Duration
    ) throws -> PostgresConfiguration {
        let own = TestDatabase.current.url
        let directory = try #require(own.firstMatch(of: /host='([^']+)'/)?.1)
        let database = try #require(own.firstMatch(of: /dbname='?([^' ]+)/)?.1)
        let names = (hosts.map(\.host) + [String(directory)]).joined(separator: ",")
        let ports = (hosts.map(\.port) + ["5432"]).joined(separator: ",")
        let url = "host='\(names)' port='\(ports)' user=postgres dbname='\(database)' sslmode=disable \(more)"
        return PostgresConfiguration(url: url, connectTimeout: timeout)
    }

    private func connect(_ configuration: PostgresConfiguration) async throws -> PostgresConnection {
        try await PostgresConnection.connect(configuration, logger: TestDatabase.quiet)
    }

    @Test func `a host that keeps silent leaves the next one its time`() async throws {
        let silent = try SilentServer()
        let hosts = [(host: "127.0.0.1", port: "\(silent.port)")]
        let connection = try await connect(try configuration(behind: hosts, timeout: .seconds(12)))
        #expect(try await connection.query("SELECT 1").only(Int.self) == 1)
        await connection.close()
    }

    @Test func `a host that is gone is passed over, and one that is not what is asked for`() async throws {
        let gone = [(host: "/nowhere", port: "5432"), (host: "127.0.0.1", port: "1")]
        let options = "target_session_attrs=read-write"
        let connection = try await connect(try configuration(behind: gone, options, timeout: .seconds(60)))
        await connection.close()
        // Nobody here is a standby; whoever merely prefers one takes what there is.
        let preferred = "target_session_attrs=prefer-standby"
        try await connect(try configuration(behind: gone, preferred, timeout: .seconds(60))).close()
        let standby = try configuration(behind: gone, "target_session_attrs=standby", timeout: .seconds(60))
        let error = await #expect(throws: PostgresConnectionError.self) { try await connect(standby) }
        #expect(error.map { "\($0)" }?.contains("not in hot standby mode") == true, "\(error.debugDescription)")
    }

    @Test func `lists that do not fit are refused, not guessed`() async throws {
        let url = "host=127.0.0.1,127.0.0.2,127.0.0.3 port=1,2 user=postgres dbname=postgres"
        await #expect(throws: PostgresConnectionError.self) { try await connect(PostgresConfiguration(url: url)) }
    }
}
