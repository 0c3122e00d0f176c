import AsyncHTTPClient
import Foundation
import NIOCore

/// How much memory a server has, in bytes.
enum ResidentMemory {
    private static let metric = "process_resident_memory_bytes "

    /// From the process where it is known, else from `/metrics`.
    static func read(_ server: MeasuredServer) async throws -> Int {
        if let pid = server.pid { return try read(process: pid) }
        let request = HTTPClientRequest(url: "\(server.url)/metrics")
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let text = String(buffer: try await answer.body.collect(upTo: 16 << 20))
        guard let bytes = value(in: text) else {
            throw Unmeasurable("neither --pid nor /metrics tells the server's memory")
        }
        return bytes
    }

    static func read(process: Int32) throws -> Int {
        let fields = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else {
            throw Unmeasurable("/proc/\(process)/statm does not tell the memory")
        }
        return pages * Int(getpagesize())
    }

    /// The value in Prometheus' text format.
    static func value(in text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix(metric) }
            .flatMap { Double($0.dropFirst(metric.count)) }
            .map { Int($0) }
    }
}
