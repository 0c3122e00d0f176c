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
            #expect(gone.output.hasPrefix("no answer: "))
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
        #expect(ended.output == "no answer within 2.0 seconds\n")
    }
}
