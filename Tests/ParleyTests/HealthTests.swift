import Foundation
import Postgres
import TestSupport
import Testing

/// What watches a server that nothing else can ask.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `The command health` {
    @Test func `is content with a server that is ready, on either port`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve([
                "--host", "0.0.0.0", "--data-dir", directory, "--ops-port", "0",
            ])
            try await server.waits(for: "Metrics and health are told")
            let ports = [
                "PARLEY_PORT": "\(try server.port)",
                "PARLEY_OPS_PORT": "\(try server.port(of: "Metrics and health are told"))",
            ]
            for (name, port) in ports {
                let healthy = try await ParleyProcess.run(
                    ["health"],
                    environment: ["PARLEY_HOST": "0.0.0.0", name: port]
                )
                #expect(healthy.code == 0, "\(healthy.output)")
                #expect(healthy.output.contains(#""status":"ready""#))
            }
            #expect(await server.terminate().code == 0)
            let gone = try await ParleyProcess.run(["health"], environment: ports)
            #expect(gone.code == 1)
            let port = try #require(ports["PARLEY_OPS_PORT"])
            #expect(gone.output.hasPrefix("no answer from 127.0.0.1:\(port): nothing listens there"), "\(gone.output)")
        }
    }

    @Test func `says why a server is not ready`() async throws {
        try await withDirectory { directory in
            let arguments = ["--data-dir", directory, "--ops-port", "0", "--shutdown-notice", "600s"]
            let server = try await ParleyProcess.serve(arguments)
            try await server.waits(for: "Metrics and health are told")
            let port = "\(try server.port(of: "Metrics and health are told"))"
            server.child.signal(SIGTERM)
            while true {
                let ended = try await ParleyProcess.run(["health", "--ops-port", port])
                if ended.code == 0 { continue }
                #expect(ended.code == 1)
                #expect(ended.output.contains("server: about to stop"))
                break
            }
            await server.kill()
        }
    }

    @Test func `finds the server of a data directory`() async throws {
        try await withDirectory { directory in
            for arguments in [[], ["--ops-port", "0"]] {
                let server = try await ParleyProcess.serve(["--data-dir", directory] + arguments)
                if !arguments.isEmpty { try await server.waits(for: "Metrics and health are told") }
                let healthy = try await ParleyProcess.run(["health", "--data-dir", directory])
                #expect(healthy.code == 0, "\(healthy.output)")
                #expect(await server.terminate().code == 0)
                #expect(try await ParleyProcess.run(["health", "--data-dir", directory]).code == 1)
            }
        }
    }

    @Test func `does not wait for a server that says nothing`() async throws {
        let silent = try SilentServer()
        let ended = try await ParleyProcess.run(["health", "--port", "\(silent.port)"])
        #expect(ended.code == 1)
        #expect(ended.output == "no answer from 127.0.0.1:\(silent.port) within 2.0 seconds\n")
    }

    @Test func `waits for a server that is still to come, and says so once`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(["--data-dir", directory])
            let port = "\(try first.port)"
            #expect(await first.terminate().code == 0)
            let waiting = try await ParleyProcess.start(["health", "--port", port, "--wait", "300"])
            try await waiting.waits(for: "waiting up to 300 s until the server at 127.0.0.1:\(port) is ready\n")
            let second = try await ParleyProcess.serve(["--data-dir", directory, "--port", port])
            let ended = await waiting.ended()
            #expect(ended.code == 0, "\(ended.output)")
            #expect(ended.output.contains(#""status":"ready""#))
            #expect(ended.output.split(separator: "\n").count == 2, "\(ended.output)")
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `says why the server that it waited for is not there`() async throws {
        let silent = try SilentServer()
        let ended = try await ParleyProcess.run(["health", "--port", "\(silent.port)", "--wait", "1"])
        #expect(ended.code == 1)
        #expect(ended.output.hasPrefix("waiting up to 1 s"))
        #expect(ended.output.hasSuffix("\nno answer from 127.0.0.1:\(silent.port) within 2.0 seconds\n"))
    }
}
