import Foundation
import TestSupport
import Testing

/// What those who watch a server see.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `Those who watch a server` {
    @Test func `have a port of their own, and then no client reaches the metrics`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--ops-port", "0"])
            try await server.waits(for: "Metrics and health are told")
            let clients = Client(port: try server.port)
            let operators = Client(port: try server.port(of: "Metrics and health are told"))
            #expect(try await clients.send("GET", "/metrics").status == 404)
            let metrics = try await operators.send("GET", "/metrics")
            #expect(metrics.status == 200)
            #expect(metrics.body.contains("\nparley_build_info{version=\""))
            for client in [clients, operators] {
                #expect(try await client.send("GET", "/healthz").status == 200)
                #expect(try await client.send("GET", "/readyz").status == 200)
            }
            for path in ["/v1/server", "/v1/auth/login", "/openapi.yaml"] {
                #expect(try await operators.send("GET", path).status == 404)
            }
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `find metrics among the clients' routes without one`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            #expect(try await Client(port: server.port).send("GET", "/metrics").status == 200)
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `read logs as JSON, with the request's id, and every request where they want`() async throws {
        try await withDirectory { directory in
            let options = ["--data-dir", directory, "--log-format", "json", "--access-log", "on"]
            let server = try await ParleyProcess.start(["serve", "--port", "0", "--scrypt-cost", "4"] + options)
            try await server.waits(for: #""message":"Listening""#)
            let client = Client(port: try server.port(of: #""message":"Listening""#))
            let answer = try await client.send("GET", "/v1/users/4711?token=hunter2")
            let ended = await server.terminate()
            #expect(ended.code == 0)
            #expect(!ended.output.contains("hunter2"))
            #expect(!ended.output.contains("4711"))
            let lines = try ended.output.split(separator: "\n").map { line in
                try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
            }
            for line in lines { #expect(["time", "level", "logger", "message"].allSatisfy { line[$0] is String }) }
            let access = try #require(lines.last { $0["message"] as? String == "Answered" })
            #expect(access["requestID"] as? String == answer["X-Request-Id"])
            #expect(access["route"] as? String == "/v1/users/{userId}")
            #expect(access["method"] as? String == "GET")
            #expect(access["status"] as? String == "401")
        }
    }

    @Test func `are told the program's version`() async throws {
        let ended = try await ParleyProcess.run(["--version"])
        #expect(ended.code == 0)
        #expect(ended.output.contains(try Regex(#"^\d+\.\d+\.\d+( \([0-9a-f]{7,64}\))?\n$"#)))
    }
}
