import Foundation
import Glibc
import Postgres
import TestSupport
import Testing

/// A client of one server, as plain as can be: one request per connection.
struct Client {
    let port: UInt16
    var token: String?

    struct Answer {
        let status: Int
        let head: String
        let body: String

        /// A text of the answer, wherever it stands.
        subscript(header: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(header.lowercased()): ") }
                .map { String($0.dropFirst(header.count + 2)) }
        }

        func value(_ name: String) -> String? {
            body.firstRange(of: "\"\(name)\":\"").map { String(body[$0.upperBound...].prefix { $0 != "\"" }) }
        }
    }

    /// Sends a request and waits for the whole answer.
    func send(
        _ method: String,
        _ path: String,
        _ body: String = "",
        headers: [String: String] = [:]
    ) async throws -> Answer {
        let output = Output(try open(method, path, body, headers))
        await output.waitsForEnd()
        let parts = output.text.split(separator: "\r\n\r\n", maxSplits: 1)
        let head = String(try #require(parts.first))
        let status = try #require(head.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return Answer(status: status, head: head, body: parts.count > 1 ? String(parts[1]) : "")
    }

    /// Waits until the metrics say something.
    func waitForMetrics(_ text: Regex<Substring>) async throws {
        while try await !send("GET", "/metrics").body.contains(text) { await Task.pause() }
    }

    /// Sends what may be no request at all, and waits for all that comes back.
    func say(_ text: String) async throws -> String {
        let output = Output(try connected(saying: text))
        await output.waitsForEnd()
        return output.text
    }

    /// Opens the caller's stream.
    func stream(since cursor: String? = nil) throws -> Output {
        let headers = cursor.map { ["Last-Event-ID": $0] } ?? [:]
        return Output(try open("GET", "/v1/stream", "", headers, keepsOpen: true))
    }

    private func open(
        _ method: String,
        _ path: String,
        _ body: String,
        _ headers: [String: String],
        keepsOpen: Bool = false
    ) throws -> FileDescriptor {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(body.utf8.count)"]
        lines += headers.map { "\($0): \($1)" }
        if !body.isEmpty { lines.append("Content-Type: application/json") }
        if !keepsOpen { lines.append("Connection: close") }
        if let token { lines.append("Authorization: Bearer \(token)") }
        return try connected(saying: lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    private func connected(saying text: String) throws -> FileDescriptor {
        let socket = FileDescriptor(owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.rawValue, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0, "nobody listens on port \(port)")
        let bytes = Array(text.utf8)
        try #require(write(socket.rawValue, bytes, bytes.count) == bytes.count)
        return socket
    }
}
