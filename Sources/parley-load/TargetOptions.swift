import ArgumentParser
import AsyncHTTPClient
import Foundation

/// Which servers, and how hard.
struct TargetOptions: ParsableArguments {
    @Option(name: .customLong("server"), help: "A server; given several times, requests and streams go crosswise.")
    var servers = ["http://127.0.0.1:8080"]

    @Option(help: "Requests under way at the same time.")
    var concurrency = 32

    @Option(help: "Seconds to keep trying while a server is down.")
    var patience = 60

    func validate() throws {
        for server in servers {
            guard let url = URL(string: server), let scheme = url.scheme, ["http", "https"].contains(scheme),
                url.host != nil
            else { throw ValidationError("--server \(server): not an address like http://127.0.0.1:8080") }
        }
        guard !servers.isEmpty else { throw ValidationError("--server is needed") }
        guard (1...4096).contains(concurrency) else { throw ValidationError("--concurrency is 1 to 4096") }
        guard (0...86_400).contains(patience) else { throw ValidationError("--patience is 0 to 86,400") }
    }

    func client(_ http: HTTPClient) -> APIClient {
        APIClient(
            servers: Servers(servers),
            http: http,
            concurrency: concurrency,
            patience: .seconds(patience)
        )
    }
}
