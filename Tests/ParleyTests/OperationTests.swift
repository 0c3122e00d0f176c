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
                // What has a name has one, on either port.
                for path in ["//metrics", "/metrics/", "/%6detrics", "//readyz", "/readyz/", "/healthz/"] {
                    #expect(try await client.send("GET", path).status == 404, "\(path)")
                }
            }
            for path in ["/v1/server", "/v1/auth/login", "/openapi.yaml"] {
                #expect(try await operators.send("GET", path).status == 404)
            }
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `see the clients' connections, and not their own`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--ops-port", "0"])
            try await server.waits(for: "Metrics and health are told")
            let operators = Client(port: try server.port(of: "Metrics and health are told"))
            let idle = try await operators.send("GET", "/metrics").body
            #expect(idle.contains("\nparley_connections_limit 10000\n"))
            #expect(idle.contains("\nparley_connections_open 0\n"))
            let ada = try await Person.register("ada@example.org", "Ada", on: server)
            let stream = try ada.client.stream()
            _ = await stream.waits(for: "event: ready")
            while try await !operators.send("GET", "/metrics").body.contains("\nparley_connections_open 1\n") {
                await Task.pause()
            }
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `see whether anybody projects, and how old the read models are`() async throws {
        try await withDirectory { directory in
            let options = ["--data-dir", directory, "--limits", "off"]
            let server = try await ParleyProcess.serve(options)
            let client = Client(port: try server.port)
            try await client.waitForMetrics(/\nparley_projection_leases 16\n/)
            try await client.waitForMetrics(/\nparley_projection_lag_seconds 0\n/)
            try await client.waitForMetrics(/\nparley_projection_parked_streams 0\n/)
            #expect(await server.terminate().code == 0)

            let alone = try await ParleyProcess.serve(options + ["--without-projectors"])
            _ = try await Person.register("ada@example.org", "Ada", on: alone)
            let aloneClient = Client(port: try alone.port)
            try await aloneClient.waitForMetrics(/\nparley_projection_lag_seconds [0-9.]*[1-9]/)
            try await aloneClient.waitForMetrics(/\nparley_projection_leases 0\n/)
            #expect(await alone.terminate().code == 0)
        }
    }

    @Test func `see what has never failed as 0`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let metrics = try await Client(port: server.port).send("GET", "/metrics").body
            let names = [
                "parley_lane_failures_total", "parley_lane_overloads_total", "parley_format_refusals_total",
                "parley_log_epochs_total", "parley_mail_given_up_total", "parley_password_hashing_refused_total",
                "postgres_connect_failures_total", "postgres_connections_lost_total", "parley_stream_faults_total",
                "parley_scheduled_failed_total", "parley_expiry_failures_total", "parley_projection_failures_total",
                #"parley_connections_refused_total{cap="total"}"#,
                #"parley_projection_stopped_partitions{cause="error"}"#,
            ]
            for name in names { #expect(metrics.contains("\n\(name) 0\n"), "\(name)") }
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
            let lines = try Self.lines(ended.output)
            for line in lines { #expect(["time", "level", "logger", "message"].allSatisfy { line[$0] is String }) }
            let access = try #require(lines.last { $0["message"] as? String == "Answered" })
            #expect(access["requestID"] as? String == answer["X-Request-Id"])
            #expect(access["route"] as? String == "/v1/users/{userId}")
            #expect(access["method"] as? String == "GET")
            #expect(access["status"] as? String == "401")
        }
    }

    @Test func `read a line for what a connection refuses by itself, with nothing that was sent`() async throws {
        try await withDirectory { directory in
            let options = [
                "--data-dir", directory, "--log-format", "json", "--access-log", "on", "--header-deadline", "2s",
                "--max-pipelined-requests", "1",
            ]
            let server = try await ParleyProcess.start(["serve", "--port", "0", "--scrypt-cost", "4"] + options)
            try await server.waits(for: #""message":"Listening""#)
            let client = Client(port: try server.port(of: #""message":"Listening""#))
            let request = "GET /v1/users/hunter2?token=hunter2 HTTP/1.1\r\nHost: x\r\n\r\n"
            let garbage = [
                "hunter2\r\n\r\n",
                "GET /v1/users/hunter2 HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "hunter2", count: 2_000))\r\n\r\n",
                "GET /v1/users/hunter2?token=hunter2 HTTP/1.1\r\n\r\n",
                "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nhunter2\r\n",
            ]
            var ids: Set<String> = []
            for text in garbage {
                let answer = try await client.say(text)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(text.prefix(80)) \(answer)")
                let fields = answer.split(separator: "\r\n")
                let field = try #require(fields.first { $0.lowercased().hasPrefix("x-request-id: ") })
                ids.insert(String(field.dropFirst("x-request-id: ".count)))
            }
            let ahead = try await client.say(request + request + request)
            #expect(ahead.components(separatedBy: "HTTP/1.1 401 ").count == 2, "\(ahead)")
            #expect(try await client.say("GET /v1/users/hunter2?token=hunter2") == "")
            let metrics = try await client.send("GET", "/metrics").body
            let label = #"{method="any",route="none",status="400"}"#
            #expect(metrics.contains("\nparley_http_requests_total\(label) \(garbage.count)\n"))
            #expect(metrics.contains("\nparley_connections_ended_total{reason=\"pipelining\"} 1\n"))
            let ended = await server.terminate()
            #expect(ended.code == 0)
            #expect(!ended.output.contains("hunter2"))

            let lines = try Self.lines(ended.output).map { line in line.compactMapValues { $0 as? String } }
            let refused = lines.filter { $0["status"] == "400" }
            #expect(refused.count == garbage.count)
            #expect(Set(refused.compactMap { $0["requestID"] }) == ids)
            #expect(refused.allSatisfy { $0["message"] == "Answered" })
            #expect(refused.allSatisfy { $0["method"] == "any" && $0["route"] == "none" })
            let unanswered = lines.filter { $0["message"] == "Not answered" }
            #expect(unanswered.allSatisfy { $0["status"] == "none" && $0["bytes"] == "0" })
            #expect(unanswered.map { $0["reason"] } == ["pipelining", "header"])
            #expect(unanswered.map { $0["route"] } == ["/v1/users/{userId}", "none"])
            #expect(unanswered.map { $0["method"] } == ["GET", "any"])
        }
    }

    /// Log lines, which are objects of JSON.
    private static func lines(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }

    @Test func `are told the program's version, and its commit where it knows, the same everywhere`() async throws {
        let ended = try await ParleyProcess.run(["--version"])
        #expect(ended.code == 0)
        let form = /(\d+\.\d+\.\d+)(?: \(([0-9a-f]{7,64})\))?\n/
        let known = try #require(try form.wholeMatch(in: ended.output)).output
        let (version, commit) = (String(known.1), known.2.map { String($0) })
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let metrics = try await Client(port: server.port).send("GET", "/metrics").body
            let labels = #"version="\#(version)",commit="\#(commit ?? "unknown")""#
            #expect(metrics.contains("\nparley_build_info{\(labels)} 1\n"))
            let ada = try await Person.register("ada@example.org", "Ada", on: server)
            let info = try await ada.client.send("GET", "/v1/server")
            #expect(info.value("version") == version)
            #expect(info.value("commit") == commit)
            #expect(await server.terminate().code == 0)
        }
    }
}
