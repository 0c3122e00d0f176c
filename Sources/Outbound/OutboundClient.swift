package import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization

/// Asks servers that are not ours: over TLS with HTTP/2 where they speak it, in bounded time, for bounded answers. It follows no
/// redirect, keeps no cookie, and uses no proxy of the environment.
///
/// What it has opened is closed when its ``run()`` ends, or when nobody has it any more.
package final class OutboundClient: Service {
    /// So many addresses of a host are tried.
    private static let mostAddresses = 3

    private let rules: OutboundRules
    private let vetting: AddressVetting?
    private let connections: HostConnections
    private let limit: Int
    private let underWay = Mutex(0)

    /// - Parameters:
    ///   - trustFile: certificates in PEM to trust beside the system's.
    ///   - maximumConnections: requests that are under way at once; more are refused.
    /// - Throws: ``OutboundTrustError`` where that file holds no certificates.
    package convenience init(
        rules: OutboundRules,
        trustFile: String? = nil,
        maximumConnections: Int = 256,
        logger: Logger
    ) throws {
        try self.init(
            rules: rules,
            trustFile: trustFile,
            maximumConnections: maximumConnections,
            resolver: .system,
            now: { .now() },
            logger: logger
        )
    }

    init(
        rules: OutboundRules,
        trustFile: String? = nil,
        maximumConnections: Int = 256,
        resolver: AddressResolver,
        now: @escaping @Sendable () -> NIODeadline = { .now() },
        logger: Logger
    ) throws {
        self.rules = rules
        switch rules.vetting {
        case .none: vetting = nil
        case .global(let allowed): vetting = AddressVetting(allowed, resolver, now: now)
        }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let trustFile {
            tls.additionalTrustRoots = [.certificates(try OutboundTrustError.certificates(in: trustFile))]
        }
        connections = HostConnections(
            HostConnection.Settings(tls: tls, maximumConnections: min(32, maximumConnections)),
            logger: logger
        )
        limit = maximumConnections
    }

    /// Waits for the graceful shutdown, or the task's end, and closes all connections; what is under way fails then.
    package func run() async {
        await cancelWhenGracefulShutdown {
            // Ends by cancellation alone.
            try? await Task.sleep(for: .seconds(1_000_000_000))
        }
        await connections.close()
    }

    /// Asks once.
    ///
    /// - Parameters:
    ///   - time: for all of it, from the lookup of the host to the last byte of the answer.
    ///   - maximumAnswer: bytes; of a larger one nothing is told.
    package func send(
        _ request: OutboundRequest,
        within time: Duration,
        maximumAnswer: Int
    ) async throws(OutboundError) -> OutboundResponse {
        let target = try OutboundTarget(request.url, rules)
        let isFree = underWay.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isFree else { throw OutboundError(.busy) }
        defer { underWay.withLock { $0 -= 1 } }
        do {
            return try await withThrowingTaskGroup(of: OutboundResponse?.self) { group in
                group.addTask { try await self.attempt(request, target, within: time, maximumAnswer) }
                // The client's own deadline ends with the head of an answer.
                group.addTask {
                    try await Task.sleep(for: time)
                    return nil
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let response = first else {
                    throw OutboundError(.timedOut)
                }
                return response
            }
        } catch {
            throw OutboundError(error)
        }
    }

    private func attempt(
        _ request: OutboundRequest,
        _ target: OutboundTarget,
        within time: Duration,
        _ maximumAnswer: Int
    ) async throws -> OutboundResponse {
        let amount = TimeAmount(time)
        let deadline = NIODeadline.now() + amount
        let addresses: [IPAddress?]
        if let vetting {
            addresses = try await vetting.addresses(of: target, within: amount).prefix(Self.mostAddresses).map { $0 }
        } else {
            addresses = [nil]
        }
        for (place, address) in addresses.enumerated() {
            let connection = try connections.connection(to: target.host, at: target.address == nil ? address : nil)
            do {
                return try await connection.send(request, to: target, until: deadline, maximumAnswer: maximumAnswer)
            } catch {
                if OutboundError(error).kind == .timedOut || Task.isCancelled { connection.noteTimeout() }
                guard place + 1 < addresses.count, OutboundError.wasNeverConnected(error) else { throw error }
            }
        }
        throw OutboundError(.unresolvable)
    }
}
