import Foundation
import Identity
import NIOCore

/// An address of the network; IPv4 in the form that IPv6 has for it, so that one comparison serves both.
struct ClientAddress: Sendable, Hashable {
    let bits: UInt128

    private static let mappedPrefix: UInt128 = 0xffff << 32

    /// - Parameter text: an address alone, without port or brackets.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 45 else { return nil }
        var v4 = in_addr()
        if inet_pton(AF_INET, String(text), &v4) == 1 {
            bits = Self.mappedPrefix | UInt128(UInt32(bigEndian: v4.s_addr))
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, String(text), &v6) == 1 else { return nil }
        bits = withUnsafeBytes(of: v6) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
    }

    /// nil for what is no address of the network, such as a socket in the file system.
    init?(_ socket: SocketAddress?) {
        guard let text = socket?.ipAddress else { return nil }
        // Addresses of one's own link come with the interface's name.
        self.init(text.prefix { $0 != "%" })
    }

    var isIPv4: Bool { bits >> 32 == 0xffff }

    /// 127.0.0.0/8 and ::1.
    var isLoopback: Bool { bits == 1 || bits >> 24 == 0xffff7f }

    /// What requests are counted by.
    var network: ClientNetwork {
        isIPv4
            ? ClientNetwork(ipv4: UInt32(truncatingIfNeeded: bits))
            : ClientNetwork(ipv6Prefix: UInt64(truncatingIfNeeded: bits >> 64))
    }
}

extension ClientAddress: CustomStringConvertible, CustomReflectable {
    /// Personal, and so kept out of logs.
    var description: String { "<address>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
