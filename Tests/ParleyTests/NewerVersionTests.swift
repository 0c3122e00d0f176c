import Foundation
import Postgres
import Testing

/// A server that meets the data of a newer one.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `An older server` {
    @Test func `ends in order when a newer one has raised the log's format, and refuses to start again`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let status = try await ParleyProcess.run(["status", "--data-dir", directory])
            #expect(status.output.contains("log format  1"))
            #expect(status.output.contains("version 0.1.0, reads up to format 2"))
            try await OwnDatabase(directory: directory).execute("UPDATE parley.log SET format = 3")
            let ended = await server.ended()
            #expect(ended.code == 76)
            let refusal = "the log is of format 3, and this program reads formats up to 2"
            #expect(ended.output.contains(refusal))
            for command in [["verify"], ["rebuild", "--all"], ["erase", "--yes", "a@b.c"]] {
                let ended = try await ParleyProcess.run(command + ["--data-dir", directory])
                #expect(ended.code == 76, "\(command): \(ended.output)")
                #expect(ended.output.contains(refusal))
            }
            let again = try await ParleyProcess.run(["serve", "--port", "0", "--data-dir", directory])
            #expect(again.code == 76)
        }
    }

    @Test func `refuses a database that a newer one has migrated`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            try await OwnDatabase(directory: directory).execute(
                "INSERT INTO parley.migrations (version, name, checksum) VALUES (9999, '9999_later.sql', '')"
            )
            for command in [["migrate"], ["status"]] {
                let ended = try await ParleyProcess.run(command + ["--data-dir", directory])
                #expect(ended.code == 76)
                #expect(ended.output.contains("9999_later.sql"))
            }
            // One that runs already goes on.
            #expect(await server.terminate().code == 0)
            let again = try await ParleyProcess.run(["serve", "--port", "0", "--data-dir", directory])
            #expect(again.code == 76)
            #expect(again.output.contains("9999_later.sql"))
        }
    }
}
