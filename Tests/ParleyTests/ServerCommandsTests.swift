import Foundation
import Testing

/// The server with its private PostgreSQL, and the commands that work on the same.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `The server of other commands` {
    @Test func `is not made by a command that works on one`() async throws {
        try await withDirectory { directory in
            let nowhere = "\(directory)/mistyped"
            let commands = [
                ["verify"], ["rebuild", "--all"], ["scrub"], ["rotate-keys"], ["erase", "--yes", "a@b.c"],
            ]
            for command in commands {
                let ended = try await ParleyProcess.run(command + ["--data-dir", nowhere])
                #expect(ended.code == 78)
                #expect(ended.output.contains("there is no Parley in \(nowhere): set PARLEY_DATA_DIR or DATABASE_URL"))
            }
            #expect(!FileManager.default.fileExists(atPath: nowhere))
        }
    }

    @Test func `is never another than the one that a flag names`() async throws {
        let environment = [
            "DATABASE_URL": "host=/nowhere", "PARLEY_MASTER_KEY": Data(repeating: 1, count: 32).base64EncodedString(),
        ]
        for command in [["status"], ["erase", "--yes", "a@b.c"]] {
            let ended = try await ParleyProcess.run(command + ["--data-dir", "/nowhere"], environment: environment)
            #expect(ended.code == 78)
            #expect(ended.output.contains("--data-dir and DATABASE_URL name two databases"))
        }
    }

    @Test func `lets the other commands work beside it`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            for command in [["status"], ["migrate"], ["verify"], ["rebuild", "--all"]] {
                let ended = try await ParleyProcess.run(command + ["--data-dir", directory])
                #expect(ended.code == 0, "\(command): \(ended.output)")
            }
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `lets the other commands work without it`() async throws {
        try await withDirectory { directory in
            #expect(try await ParleyProcess.run(["migrate", "--data-dir", directory]).code == 0)
            let again = try await ParleyProcess.run(["migrate", "--data-dir", directory])
            #expect(again.code == 0)
            #expect(again.output.contains("Nothing to do."))
            #expect(try await ParleyProcess.run(["status", "--data-dir", directory]).code == 69)
        }
    }
}
