import Foundation
import Postgres
import Testing

/// The server with its private PostgreSQL: how it starts, and that it ends in order.
///
/// The tests of a suite come one after the other: so its neighbours are suites of their own.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `The server` {
    @Test func `starts on nothing, ends in order, and starts again on what it left`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            #expect(await first.terminate().code == 0)
            let second = try await ParleyProcess.serve(dataDirectory: directory)
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `says at its first start what to open and which key to keep, and lists no migrations`() async throws {
        try await withDirectory { directory in
            let arguments = ["--data-dir", directory, "--log-level", "info"]
            for isFirst in [true, false] {
                let server = try await ParleyProcess.serve(arguments)
                let url = "http://127.0.0.1:\(try server.port)"
                try await server.waits(for: "url=\(url) [parley] Open in a browser")
                let ended = await server.terminate()
                #expect(ended.code == 0)
                let keys = ended.output.split(separator: "\n").filter { $0.contains("Made the master key") }
                #expect(keys.count == (isFirst ? 1 : 0))
                #expect(keys.allSatisfy { $0.contains("file=\(directory)/master.key") })
                #expect(ended.output.components(separatedBy: "migrations=").count == (isFirst ? 2 : 1))
                #expect(!ended.output.contains(".sql"))
            }
        }
    }

    @Test func `names no address to open without a web client`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--web", "off"])
            #expect(!(await server.terminate().output.contains("Open in a browser")))
        }
    }

    @Test func `says that it stops, and sends newcomers away, before it stops listening`() async throws {
        try await withDirectory { directory in
            let arguments = ["--data-dir", directory, "--shutdown-notice", "60s", "--shutdown-grace", "1s"]
            let server = try await ParleyProcess.serve(arguments)
            let client = Client(port: try server.port)
            #expect(try await client.send("GET", "/readyz").status == 200)
            server.child.signal(SIGTERM)
            var ready = try await client.send("GET", "/readyz")
            while ready.status == 200 { ready = try await client.send("GET", "/readyz") }
            #expect(ready.status == 503)
            #expect(ready.body.contains("about to stop"))
            let refused = try await client.send("POST", "/v1/auth/login", "{}")
            #expect(refused.status == 503)
            #expect(refused["Retry-After"] != nil)
            #expect(try await client.send("GET", "/healthz").status == 200)
            // It has told everybody for long enough now.
            await server.kill()
        }
    }

    @Test func `refuses a directory that another server holds`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            let second = try await ParleyProcess.run(["serve", "--port", "0", "--data-dir", directory])
            #expect(second.code == 69)
            #expect(second.output.contains("in use by another server (process \(first.child.pid))"))
            #expect(await first.terminate().code == 0)
        }
    }

    @Test func `makes a master key that only its owner may read, and never a second one`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            #expect(await first.terminate().code == 0)
            let key = "\(directory)/master.key"
            let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try FileManager.default.removeItem(atPath: key)
            let second = try await ParleyProcess.run(["serve", "--port", "0", "--data-dir", directory])
            #expect(second.code == 78)
            #expect(second.output.contains(key))
            #expect(!FileManager.default.fileExists(atPath: key))
        }
    }
}
