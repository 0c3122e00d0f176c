import Logging
import Synchronization

/// The connections to all hosts: those used last.
///
/// A client can be told to ask a certain address for a host's name only for all its requests: so each host and address has one
/// of its own.
final class HostConnections: Sendable {
    private static let limit = 128

    private struct Key: Hashable {
        let host: String
        let address: IPAddress?
    }

    private struct Entry {
        let connection: HostConnection
        var usedAt: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var clock: UInt64 = 0
        var isClosed = false
    }

    private let settings: HostConnection.Settings
    private let logger: Logger
    private let state = Mutex(State())

    init(_ settings: HostConnection.Settings, logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    func connection(to host: String, at address: IPAddress?) throws -> HostConnection {
        let key = Key(host: host, address: address)
        let (connection, isReplaced) = try state.withLock { state in
            guard !state.isClosed else { throw OutboundError(.closed) }
            state.clock += 1
            let old = state.entries[key]
            if let old, !old.connection.isStale {
                state.entries[key]?.usedAt = state.clock
                return (old.connection, false)
            }
            Self.makeRoom(&state)
            let connection = HostConnection(host, at: address, settings)
            state.entries[key] = Entry(connection: connection, usedAt: state.clock)
            return (connection, old != nil)
        }
        if isReplaced {
            logger.notice(
                "A server has not answered for a while: it is connected to anew",
                metadata: ["host": "\(host)"]
            )
        }
        return connection
    }

    /// What is under way over those that go is finished.
    private static func makeRoom(_ state: inout State) {
        guard state.entries.count >= limit, let oldest = state.entries.min(by: { $0.value.usedAt < $1.value.usedAt })
        else { return }
        state.entries[oldest.key] = nil
    }

    /// Ends whatever is under way.
    func close() async {
        let connections = state.withLock { state in
            state.isClosed = true
            defer { state.entries = [:] }
            return state.entries.values.map(\.connection)
        }
        for connection in connections { await connection.close() }
    }
}
