import Foundation
import Glibc

/// A server that takes connections and never says a word.
final class SilentServer: Sendable {
    private let descriptor: Int32
    let url: String

    init() throws {
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
        url = "postgresql://someone:secret@127.0.0.1:\(UInt16(bigEndian: address.sin_port))/nowhere?sslmode=disable"
    }

    deinit {
        close(descriptor)
    }
}
