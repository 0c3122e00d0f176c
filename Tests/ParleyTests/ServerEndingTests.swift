import Foundation
import Postgres
import Testing

/// The server and its private PostgreSQL, of which one or both end.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `A server that ends` {
    @Test func `starts again after it was killed`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            await first.kill()
            let second = try await ParleyProcess.serve(dataDirectory: directory)
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `starts again after it and PostgreSQL were killed`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            let postmaster = try #require(EmbeddedPostgres.postmasterID(dataDirectory: directory))
            kill(postmaster, SIGSTOP)
            await first.kill()
            kill(postmaster, SIGKILL)
            let second = try await ParleyProcess.serve(dataDirectory: directory)
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `lives on when PostgreSQL is killed, and starts it again`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let first = try #require(EmbeddedPostgres.postmasterID(dataDirectory: directory))
            kill(first, SIGKILL)
            try await server.waits(for: "PostgreSQL runs again")
            #expect(EmbeddedPostgres.postmasterID(dataDirectory: directory) != first)
            #expect(try await ParleyProcess.run(["status", "--data-dir", directory]).code == 0)
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `leaves no process and no socket behind`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let postmaster = try #require(EmbeddedPostgres.postmasterID(dataDirectory: directory))
            let sockets = try #require(EmbeddedPostgres.socketDirectory(dataDirectory: directory))
            #expect(await server.terminate().code == 0)
            #expect(kill(postmaster, 0) == -1)
            #expect(!FileManager.default.fileExists(atPath: sockets))
        }
    }
}
