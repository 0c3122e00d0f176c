import Foundation
import NIOCore
import Postgres

/// Where the server of a data directory tells how it is, for `parley health` on the same machine: its port may be any.
struct ListeningFile {
    private let path: String

    /// Nil where there is no data directory.
    init?(_ settings: Configuration) {
        guard settings.databaseURL.value == nil else { return nil }
        path = "\(settings.dataDirectory.value)/listening"
    }

    /// It is no more than a help: where it cannot be written, whoever asks names the port.
    func write(_ address: SocketAddress?) {
        guard let host = address?.ipAddress, let port = address?.port else { return }
        try? FileDescriptor.replace(path, with: "\(host) \(port)\n", mode: 0o600)
    }

    func read() -> (host: String, port: Int)? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let parts = text.split(whereSeparator: \.isWhitespace)
        guard parts.count == 2, let port = Int(parts[1]), (1...65_535).contains(port) else { return nil }
        return (String(parts[0]), port)
    }
}
