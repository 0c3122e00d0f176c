import Foundation
import Postgres
import TestSupport
import Testing

/// What clients see of the executable.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct `The server's clients` {
    @Test(.emptyDatabase) func `are served from a database that a superuser's url names`() async throws {
        let environment = [
            "DATABASE_URL": TestDatabase.current.url,
            "PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
        let server = try await ParleyProcess.serve([], environment: environment)
        let registered = try await Client(port: server.port).send("POST", "/v1/auth/register", Person.registration)
        #expect(registered.status == 201)
        #expect(await server.terminate().code == 0)
    }

    @Test(.emptyDatabase) func `are served by an account that may not change the tables`() async throws {
        let database = TestDatabase.current
        let key = ["PARLEY_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString()]
        let first = try await ParleyProcess.serve([], environment: key.merging(["DATABASE_URL": database.url]) { $1 })
        #expect(await first.terminate().code == 0)
        let account = "serving_\(UUID().uuidString.prefix(8).lowercased())"
        try await database.administrator.execute("CREATE ROLE \(identifier: account) LOGIN IN ROLE parley_server")
        let text = database.url + " user=\(account)"
        let second = try await ParleyProcess.serve([], environment: key.merging(["DATABASE_URL": text]) { $1 })
        let registered = try await Client(port: second.port).send("POST", "/v1/auth/register", Person.registration)
        #expect(registered.status == 201)
        #expect(await second.terminate().code == 0)
        try await database.administrator.execute("DROP ROLE \(identifier: account)")
    }

    @Test func `keep their port: a second server that wants it is told so`() async throws {
        try await withDirectory { directory in
            let first = try await ParleyProcess.serve(dataDirectory: directory)
            let port = try first.port
            try await withDirectory { other in
                let second = try await ParleyProcess.run(["serve", "--port", "\(port)", "--data-dir", other])
                #expect(second.code == 69)
                #expect(second.output.contains("cannot listen on 127.0.0.1:\(port)"))
            }
            #expect(await first.terminate().code == 0)
        }
    }

    @Test func `hold to the limits that are set, beyond a restart`() async throws {
        try await withDirectory { directory in
            let arguments = ["--data-dir", directory, "--limit-login-account", "2/1h", "--limit-read", "1/1h"]
            let first = try await ParleyProcess.serve(arguments)
            let client = Client(port: try first.port)
            let token = try await client.send("POST", "/v1/auth/register", Person.registration).value("accessToken")
            let reader = Client(port: try first.port, token: token)
            #expect(try await reader.send("GET", "/v1/me").status == 200)
            #expect(try await reader.send("GET", "/v1/me").status == 429)
            #expect(try await client.send("POST", "/v1/auth/login", Person.registration).status == 200)
            #expect(try await client.send("POST", "/v1/auth/login", Person.registration).status == 200)
            let metrics = try await client.send("GET", "/metrics").body
            SecretWatch.inspect(metrics, "the metrics")
            #expect(metrics.contains(#"parley_rate_limit_refusals_total{policy="read"} 1"#))
            #expect(metrics.contains(#"parley_rate_limit_buckets{policy="read"} 1"#))
            #expect(try await !client.send("GET", "/readyz").body.contains("limits"))
            #expect(await first.terminate().code == 0)

            let second = try await ParleyProcess.serve(arguments)
            let login = try await Client(port: second.port).send("POST", "/v1/auth/login", Person.registration)
            #expect(login.status == 429)
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `are told when limits are off`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(["--data-dir", directory, "--limits", "off"])
            let client = Client(port: try server.port)
            #expect(try await client.send("GET", "/readyz").body.contains(#""notes":["limits: off"#))
            for _ in 0..<15 {
                #expect(try await client.send("POST", "/v1/auth/login", Person.registration).status == 401)
            }
            #expect(await server.terminate().output.contains("Rate limits are off"))
        }
    }

    @Test func `keep their tokens when the signing key changes, and refresh them when it leaked`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let client = Client(port: try server.port)
            let registered = try await client.send("POST", "/v1/auth/register", Person.registration)
            let signedIn = Client(port: client.port, token: registered.value("accessToken"))
            let rotated = try await ParleyProcess.run(["rotate-keys", "--data-dir", directory])
            #expect(rotated.code == 0 && rotated.output.contains("the keys before verify until"))
            let again = try await ParleyProcess.run(["rotate-keys", "--data-dir", directory])
            #expect(again.code == 1 && again.output.contains("waits for its time"))
            #expect(try await signedIn.send("GET", "/v1/me").status == 200)
            #expect(await server.terminate().code == 0)
            let replaced = try await ParleyProcess.run(["rotate-keys", "--now", "--data-dir", directory])
            #expect(replaced.code == 0 && replaced.output.contains("the keys before are dropped"))
            let second = try await ParleyProcess.serve(dataDirectory: directory)
            let other = Client(port: try second.port, token: registered.value("accessToken"))
            #expect(try await other.send("GET", "/v1/me").status == 401)
            let token = try #require(registered.value("refreshToken"))
            let refresh = try await other.send("POST", "/v1/auth/refresh", #"{"refreshToken":"\#(token)"}"#)
            #expect(refresh.status == 200)
            let fresh = Client(port: other.port, token: refresh.value("accessToken"))
            #expect(try await fresh.send("GET", "/v1/me").status == 200)
            #expect(await second.terminate().code == 0)
        }
    }

    @Test func `see metrics and the specification`() async throws {
        try await withDirectory { directory in
            let server = try await ParleyProcess.serve(dataDirectory: directory)
            let client = Client(port: try server.port)
            #expect(try await client.send("GET", "/metrics").body.contains("postgres_connects_total "))
            #expect(try await client.send("GET", "/openapi.yaml").body.hasPrefix("openapi: 3.1"))
            #expect(await server.terminate().code == 0)
        }
    }

    @Test func `see which push services there are, and that there need be none`() async throws {
        let made = try await ParleyProcess.run(["push", "keys"])
        let key = try #require(made.output.firstMatch(of: /PARLEY_PUSH_VAPID_KEY=([A-Za-z0-9_\-]{43})\n/))
        SecretWatch.add(String(key.1))
        let webPush = [
            "PARLEY_PUSH_VAPID_KEY": String(key.1), "PARLEY_PUSH_VAPID_SUBJECT": "mailto:ops@example.com",
        ]
        let servers: [(environment: [String: String], providers: String)] = [([:], "[]"), (webPush, #"["webpush"]"#)]
        for (environment, providers) in servers {
            try await withDirectory { directory in
                let server = try await ParleyProcess.serve(["--data-dir", directory], environment: environment)
                let ada = try await Person.register("ada@example.org", "Ada", on: server)
                let info = try await ada.client.send("GET", "/v1/server")
                #expect(info.status == 200 && info.body.contains(#""providers":\#(providers)"#), "\(info.body)")
                #expect(info.body.contains(#""attachments","push"]"#) == !environment.isEmpty, "\(info.body)")
                #expect(await server.terminate().code == 0)
            }
        }
    }
}
