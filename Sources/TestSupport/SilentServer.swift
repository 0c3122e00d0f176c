import Foundation
import Glibc

/// A server that takes connections and never says a word.
package final class SilentServer: Sendable {
    private let descriptor: Int32
    package let port: UInt16
    /// As PostgreSQL would have it.
    package var url: String { "postgresql://someone:secret@127.0.0.1:\(port)/nowhere?sslmode=disable" }

    package init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = descriptor
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) | listen(listener, 8) | getsockname(listener, address, &length)
            }
        }
        guard status == 0 else { throw CocoaError(.fileNoSuchFile) }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }
}
