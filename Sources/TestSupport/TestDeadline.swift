import Postgres

/// When something has to have happened, by the clock of the running test's database.
///
/// Each has 30 s more than it asks for: so no machine is too slow, and what takes a minute is still found. Where the time is a
/// promise, a test says by how much it may be missed, from what this machine takes for something else just then.
package struct TestDeadline: Sendable {
    package struct Passed: Error {
        package let what: String
    }

    private let end: Double

    /// - Parameter slack: seconds that it may take longer.
    package static func within(_ seconds: Double, slack: Double = 30) async throws -> TestDeadline {
        TestDeadline(end: try await now() + seconds + slack)
    }

    /// Says whether there is time left, before what is waited for is asked for once more.
    ///
    /// - Throws: ``Passed``.
    package func check(_ what: String) async throws {
        if try await Self.now() > end { throw Passed(what: what) }
        await Task.pause()
    }

    private static func now() async throws -> Double {
        let rows = try await TestDatabase.current.administrator.query(
            "SELECT extract(epoch FROM clock_timestamp())::float8 AS now"
        )
        guard let row = rows.first else { preconditionFailure("a SELECT without FROM has one row") }
        return try row.decode("now")
    }
}
