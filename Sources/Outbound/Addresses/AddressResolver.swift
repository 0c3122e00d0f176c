import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Looks up the addresses of hosts.
struct AddressResolver: Sendable {
    typealias Lookup = @Sendable (_ host: String, _ time: TimeAmount) async throws -> [IPAddress]

    /// In the order in which they are to be tried; none where the host has none.
    let lookUp: Lookup

    static let system = AddressResolver { host, time in try await SystemResolver.shared.lookUp(host, within: time) }
}

/// The system's resolver, which blocks a thread for as long as a name server likes: it has threads of its own.
private final class SystemResolver: Sendable {
    static let shared = SystemResolver()

    /// More than these are not begun: whoever names hosts whose servers do not answer holds up nobody else for long.
    private static let limit = 32

    private let queue = DispatchQueue(label: "outbound-lookups", attributes: .concurrent)
    private let underWay = Mutex(0)

    func lookUp(_ host: String, within time: TimeAmount) async throws -> [IPAddress] {
        let isFree = underWay.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
        guard isFree else { throw OutboundError(.busy) }
        let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: [IPAddress].self)
        // Of the two the first counts.
        let timeout = promise.futureResult.eventLoop.scheduleTask(in: time) {
            promise.fail(OutboundError(.timedOut))
        }
        queue.async {
            let addresses = Self.addresses(of: host)
            self.underWay.withLock { $0 -= 1 }
            promise.succeed(addresses)
        }
        defer { timeout.cancel() }
        return try await promise.futureResult.get()
    }

    private static func addresses(of host: String) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [IPAddress] = []
        var next = first
        // One for each kind of socket.
        while let entry = next?.pointee {
            if let address = address(of: entry), !addresses.contains(address) { addresses.append(address) }
            next = entry.ai_next
        }
        return addresses
    }

    private static func address(of entry: addrinfo) -> IPAddress? {
        guard let pointer = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            let address = UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in.self).sin_addr
            return IPAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
        case AF_INET6:
            let address = UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return IPAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
        default: return nil
        }
    }
}
