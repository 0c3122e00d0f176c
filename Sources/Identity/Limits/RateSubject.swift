package import Foundation

/// Whom a bucket counts for.
package enum RateSubject: Sendable, Hashable {
    case person(UUID)
    case network(ClientNetwork)
    /// An email address as it was claimed, which need not be one.
    case account(Secret)

    /// The same for an email address however it is written.
    package static func account(claimed email: String) -> RateSubject {
        .account(Secret((try? EmailAddress(email))?.text ?? email.lowercased()))
    }

    /// Different for any two subjects.
    var bytes: [UInt8] {
        switch self {
        case .person(let id): [1] + id.bytes
        case .network(let network): [network.isIPv6 ? 3 : 2] + network.bytes
        case .account(let email): [4] + Array(email.exposed.utf8)
        }
    }
}

/// The part of a client's address that requests are counted by: an IPv4 address, or the first 64 bits of an IPv6 address.
package struct ClientNetwork: Sendable, Hashable {
    let isIPv6: Bool
    private let prefix: UInt64

    package init(ipv4: UInt32) {
        isIPv6 = false
        prefix = UInt64(ipv4)
    }

    package init(ipv6Prefix: UInt64) {
        isIPv6 = true
        prefix = ipv6Prefix
    }

    var bytes: [UInt8] { withUnsafeBytes(of: prefix.bigEndian) { Array($0) } }
}

extension ClientNetwork: CustomStringConvertible, CustomReflectable {
    /// Personal, and so kept out of logs.
    package var description: String { "<network>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
