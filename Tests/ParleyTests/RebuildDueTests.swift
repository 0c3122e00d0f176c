import Foundation
import Postgres
import TestSupport
import Testing

/// A server whose read models another program has made.
@Suite(.serialized, .emptyDatabase, .timeLimit(.minutes(10)))
struct `A rebuild that is due` {
    private var environment: [String: String] {
        [
            "DATABASE_URL": TestDatabase.current.url,
            "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
    }

    private let reason = "rebuild due: messages is at version 0, this program makes 1: run parley rebuild --all"

    @Test func `is told by readiness, status, metrics and the log, until it is done`() async throws {
        let server = try await ParleyProcess.serve([], environment: environment)
        let client = Client(port: try server.port)
        #expect(try await client.send("GET", "/readyz").body.contains("rebuild due") == false)
        let fresh = try await ParleyProcess.run(["status"], environment: environment)
        #expect(fresh.code == 0 && !fresh.output.contains("VERSION "))

        try await TestDatabase.current.administrator.execute(
            "UPDATE read_live.projections SET version = 0 WHERE name = 'messages'"
        )
        try await server.waits(for: reason)
        let ready = try await client.send("GET", "/readyz")
        #expect(ready.status == 200)
        #expect(ready.body.contains("read models: \(reason)"))
        #expect(try await metrics(client).contains(#"parley_projection_rebuild_due{projection="messages"} 1"#))
        #expect(try await metrics(client).contains(#"parley_projection_rebuild_due{projection="users"} 0"#))
        let status = try await ParleyProcess.run(["status"], environment: environment)
        #expect(status.code == 0)
        #expect(status.output.contains("VERSION     \(reason)"))

        #expect(try await ParleyProcess.run(["rebuild", "--all"], environment: environment).code == 0)
        try await server.waits(for: "the read models are what this program makes")
        #expect(try await client.send("GET", "/readyz").body.contains("rebuild due") == false)
        #expect(try await metrics(client).contains(#"parley_projection_rebuild_due{projection="messages"} 0"#))
        #expect(await server.terminate().code == 0)
    }

    @Test func `is told by the log of a server that starts`() async throws {
        let first = try await ParleyProcess.serve([], environment: environment)
        #expect(await first.terminate().code == 0)
        try await TestDatabase.current.administrator.execute("DELETE FROM read_live.projections WHERE name = 'users'")
        let second = try await ParleyProcess.serve([], environment: environment)
        try await second.waits(for: "rebuild due: users is new, this program makes 2: run parley rebuild --all")
        #expect(await second.terminate().code == 0)
    }

    private func metrics(_ client: Client) async throws -> String {
        try await client.send("GET", "/metrics").body
    }
}
