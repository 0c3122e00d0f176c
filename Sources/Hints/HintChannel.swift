package import Foundation
package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization

/// Passes ``Hints`` between the processes on one database, by `LISTEN` and `NOTIFY` on a connection of its own.
///
/// What is sent within a millisecond, or 5 where that is much, goes together, outside of every append, and not at all while
/// nobody else is there. Nobody waits for how far partitions are projected: that waits for what else is sent, for 2 ms at most.
/// While the connection is lost nothing is sent, and what was to be sent is forgotten: the others find it by themselves.
package final class HintChannel: Sendable {
    private static let name = "parley_hints"
    /// The least time between two notifications: a stream elsewhere waits for it. A busy process takes longer, so that it does
    /// not send one for each few of its commits.
    private static let (interval, busyInterval) = (Duration.milliseconds(1), Duration.milliseconds(5))
    /// Who sends more often between two notifications is busy.
    private static let few = 4
    /// How long what nobody waits for may wait.
    private static let patience = Duration.milliseconds(2)
    /// How often a silent connection is tried: a server that is gone without a word says nothing.
    private static let trial = Duration.seconds(15)
    /// Notifications that were not taken yet; older ones are dropped.
    private static let maximumWaiting = 1_000

    private let process: UUID
    private let database: PostgresConfiguration
    private let isAlone: @Sendable () -> Bool
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var pending = Hints()
        /// How often something was sent since the last notification.
        var sends = 0
        /// Wake whoever notifies the others, now or in a while; nil without a connection.
        var wake: (now: AsyncStream<Void>.Continuation, soon: AsyncStream<Void>.Continuation)?
        var handlers: [@Sendable (Hints, UUID) -> Void] = []
        var gapHandlers: [@Sendable () -> Void] = []
    }

    /// - Parameters:
    ///   - process: Which process this is; what it sends itself it does not take.
    ///   - isAlone: Whether no other process works on the database, as far as this one knows.
    package init(
        process: UUID,
        database: PostgresConfiguration,
        isAlone: @escaping @Sendable () -> Bool,
        logger: Logger
    ) {
        self.process = process
        var database = database
        database.applicationName = "parley-hints"
        // Hints are nothing that a disk should wait for.
        database.settings["synchronous_commit"] = "off"
        self.database = database
        self.isAlone = isAlone
        self.logger = logger
    }

    /// Calls `handler` with what other processes send, and which sends it. It must not block.
    package func onHints(_ handler: @escaping @Sendable (_ hints: Hints, _ process: UUID) -> Void) {
        state.withLock { $0.handlers.append(handler) }
    }

    /// Calls `handler` whenever hints may have been lost: when the channel begins and when it is back.
    package func onGap(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.gapHandlers.append(handler) }
    }

    /// Tells the other processes, soon; does not wait.
    package func send(_ hints: Hints) {
        guard !hints.isEmpty, !isAlone() else { return }
        let wake = state.withLock { state in
            guard let wake = state.wake else { return AsyncStream<Void>.Continuation?.none }
            state.pending.merge(hints)
            state.sends += 1
            return hints.areUrgent ? wake.now : wake.soon
        }
        wake?.yield()
    }

    /// Tells the other processes over another connection, and waits until they are told: for a process that ends.
    package func send(_ hints: Hints, over pool: PostgresPool) async throws {
        for payload in try payloads(of: hints, by: JSONEncoder()) { try await pool.execute(Self.notification(payload)) }
    }

    /// Whether hints come and go at this moment.
    package var isConnected: Bool { state.withLock { $0.wake != nil } }

    /// Whether no other process works on the database, and one that begins to is heard at once.
    package var isAloneAndListening: Bool { isConnected && isAlone() }

    private func serve() async throws {
        let (payloads, continuation) = AsyncStream.makeStream(
            of: String.self,
            bufferingPolicy: .bufferingNewest(Self.maximumWaiting)
        )
        let connection = try await PostgresConnection.connect(database, notifications: continuation, logger: logger)
        do {
            try await connection.execute("LISTEN \(identifier: Self.name)")
            let (signal, now) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let (patientSignal, soon) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            begin((now, soon))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await self.receive(payloads) }
                group.addTask { try await self.notify(on: connection, at: signal) }
                group.addTask {
                    for await _ in patientSignal {
                        try await Task.sleep(for: Self.patience)
                        now.yield()
                    }
                }
                group.addTask { try await self.tryNowAndThen(connection) }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            end()
            await connection.close()
            throw error
        }
        end()
        await connection.close()
    }

    private func begin(_ wake: (now: AsyncStream<Void>.Continuation, soon: AsyncStream<Void>.Continuation)) {
        let handlers = state.withLock { state in
            state.wake = wake
            return state.gapHandlers
        }
        for handler in handlers { handler() }
    }

    private func end() {
        state.withLock { state in
            state.wake = nil
            (state.pending, state.sends) = (Hints(), 0)
        }
    }

    /// Returns when the connection has ended.
    private func receive(_ payloads: AsyncStream<String>) async {
        let decoder = JSONDecoder()
        for await payload in payloads {
            // What a process of another version sends may be nothing that this one reads.
            guard let message = try? decoder.decode(HintMessage.self, from: Data(payload.utf8)),
                message.sender != process
            else { continue }
            for handler in state.withLock({ $0.handlers }) { handler(message.hints, message.sender) }
        }
    }

    private func notify(on connection: PostgresConnection, at signal: AsyncStream<Void>) async throws {
        let encoder = JSONEncoder()
        for await _ in signal {
            let (hints, sends) = state.withLock { state in
                defer { (state.pending, state.sends) = (Hints(), 0) }
                return (state.pending, state.sends)
            }
            // What waited in patience went with something else.
            guard !hints.isEmpty else { continue }
            for payload in try payloads(of: hints, by: encoder) {
                try await connection.execute(Self.notification(payload))
            }
            try await Task.sleep(for: sends > Self.few ? Self.busyInterval : Self.interval)
        }
    }

    private func payloads(of hints: Hints, by encoder: JSONEncoder) throws -> [String] {
        try HintMessage.messages(hints, from: process).map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    }

    private static func notification(_ payload: String) -> SQL {
        "SELECT pg_notify(\(name), \(payload))"
    }

    private func tryNowAndThen(_ connection: PostgresConnection) async throws {
        while true {
            try await Task.sleep(for: Self.trial)
            try await connection.execute("SELECT 1")
        }
    }
}

extension HintChannel: Service {
    /// Keeps the channel until shutdown; a lost connection is opened again, less and less often.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var backOff = BackOff()
            var isFailing = false
            while !Task.isCancelled {
                let began = ContinuousClock.now
                do {
                    try await serve()
                } catch {
                    if !isFailing, !Task.isCancelled {
                        logger.warning(
                            "hints between processes stand still: what others do is seen later",
                            metadata: ["error": "\(error)"]
                        )
                    }
                    isFailing = true
                }
                if ContinuousClock.now - began > .seconds(10) { (backOff, isFailing) = (BackOff(), false) }
                try? await Task.sleep(for: backOff.next())
            }
        }
    }
}
