import Foundation
import Postgres

/// `parley-load bare` in a process of its own.
struct BareServer: Sendable {
    let address: ServerAddress
    let pid: Int32

    static func with<Value>(_ body: (BareServer) async throws -> Value) async throws -> Value {
        let port = try FreePort.find()
        let child = try await LoadProcess.start([try ServerOptions.ownProgram(), "bare", "--port", "\(port)"])
        return try await withEnding {
            let url = "http://127.0.0.1:\(port)"
            try await child.waits(until: "\(url)/readyz")
            guard let address = ServerAddress(url) else { preconditionFailure("a URL made of a port has an address") }
            return try await body(BareServer(address: address, pid: child.pid))
        } ending: {
            await child.end()
        }
    }
}
