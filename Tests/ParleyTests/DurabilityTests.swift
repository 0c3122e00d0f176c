import Foundation
import Logging
import Postgres
import TestSupport
import Testing

/// Appends wait for the disk, by the settings that the server has of itself.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `What the server acknowledges` {
    @Test func `has reached the disk, with the private PostgreSQL and settings at their defaults`() async throws {
        try await withDirectory { directory in
            // Passwords are hashed at little cost; all else is as an operator has it.
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let url = try #require(try await EmbeddedPostgres.runningURL(dataDirectory: directory))
            try await withConnection(url) { connection in
                #expect(try await setting("fsync", on: connection) == "on")
                #expect(try await setting("full_page_writes", on: connection) == "on")
                #expect(try await setting("synchronous_commit", on: connection) == "on")
                #expect(try await setting("wal_level", on: connection) == "replica")
                let watch = CommitWatch(connection)
                try await watch.begin()
                try await talk(to: server)
                try await watch.expectDurable()
            }
            #expect(await server.terminate().code == 0)
        }
    }

    @Test(.emptyDatabase) func `has reached the disk, whatever database, account and environment say`() async throws {
        let database = TestDatabase.current
        try await withConnection(database.url) { connection in
            try await connection.execute("ALTER DATABASE \(identifier: database.name) SET synchronous_commit = off")
        }
        let environment = [
            "DATABASE_URL": database.url + " options='-c synchronous_commit=off'",
            "PGOPTIONS": "-c synchronous_commit=off",
            "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
        let server = try await ParleyProcess.serve([], environment: environment)
        try await withConnection(database.url) { connection in
            #expect(try await setting("synchronous_commit", on: connection) == "off")
            let watch = CommitWatch(connection)
            try await watch.begin()
            try await talk(to: server)
            try await watch.expectDurable()
        }
        #expect(await server.terminate().code == 0)
    }

    /// Two people register, and one writes to the other and sees it.
    private func talk(to server: ParleyProcess) async throws {
        let client = Client(port: try server.port)
        let ada = try await client.send("POST", "/v1/auth/register", registration("ada"))
        let bob = try await client.send("POST", "/v1/auth/register", registration("bob"))
        let writer = Client(port: client.port, token: ada.value("accessToken"))
        let me = try await Client(port: client.port, token: bob.value("accessToken")).send("GET", "/v1/me")
        let other = try #require(me.value("id"))
        let talk = try await writer.send("PUT", "/v1/conversations/direct/\(other)")
        #expect(talk.status == 201)
        let messages = "/v1/conversations/\(try #require(talk.value("id")))/messages"
        let sent = try await writer.send("POST", messages, #"{"text":"Hello"}"#)
        #expect(sent.status == 201)
        while try await !writer.send("GET", messages).body.contains("Hello") { await Task.pause() }
    }

    private func registration(_ name: String) -> String {
        #"{"email":"\#(name)@example.org","password":"correct horse","displayName":"\#(name)"}"#
    }

    private func setting(_ name: String, on connection: PostgresConnection) async throws -> String? {
        try await connection.query("SELECT current_setting(\(name))").first?.decode(0, as: String.self)
    }

    private func withConnection(_ url: String, _ body: (PostgresConnection) async throws -> Void) async throws {
        let logger = Logger(label: "test")
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url), logger: logger)
        do {
            try await body(connection)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }
}

/// Notes, for each row that any session writes, whether that session waits for the disk when it commits.
private struct CommitWatch {
    private let connection: PostgresConnection

    /// What is never lost once it was answered.
    private static let kept = ["parley.events", "parley.person_keys", "parley.accounts", "parley.sessions"]
    /// What is made again from the log.
    private static let derived = ["read_live.checkpoints", "read_live.messages"]

    /// - Parameter connection: a superuser's.
    init(_ connection: PostgresConnection) {
        self.connection = connection
    }

    func begin() async throws {
        try await connection.script(
            """
            CREATE TABLE public.commits (name text, synchronous text);
            CREATE FUNCTION public.note_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN
                INSERT INTO public.commits
                VALUES (TG_ARGV[0], current_setting('synchronous_commit'));
                RETURN NULL;
            END $$;
            """
        )
        for table in Self.kept + Self.derived {
            try await connection.script(
                """
                CREATE TRIGGER note_commit AFTER INSERT OR UPDATE ON \(table)
                FOR EACH ROW EXECUTE FUNCTION public.note_commit('\(table)')
                """
            )
        }
    }

    func expectDurable() async throws {
        let rows = try await connection.query("SELECT DISTINCT name, synchronous FROM public.commits")
        var seen: Set<String> = []
        for row in rows {
            let name = try row.decode("name", as: String.self)
            seen.insert("\(name) \(try row.decode("synchronous", as: String.self))")
        }
        // Only read models may be behind after a crash: which shows, too, that the watch sees a difference.
        #expect(seen == Set(Self.kept.map { "\($0) on" } + Self.derived.map { "\($0) off" }))
    }
}
