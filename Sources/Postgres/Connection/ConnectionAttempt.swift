import CLibPQ
import Foundation
import Logging
import Metrics

/// One attempt to open a session, on a thread of its own: libpq may block there on DNS, files and authentication.
struct ConnectionAttempt: Sendable {
    let configuration: PostgresConfiguration
    /// Takes what the session is notified of.
    let notifications: AsyncStream<String>.Continuation?
    let logger: Logger

    typealias Completion = @Sendable (Result<PostgresConnection, PostgresConnectionError>) -> Void

    /// `completion` is called once, on a thread that may not be blocked for long, within the configured timeout
    /// (DNS excepted, which has its own).
    func start(_ completion: @escaping Completion) {
        Thread.detachNewThread {
            do {
                let loop = try EventLoop.shared.get()
                let session = try open()
                let connection = PostgresConnection(
                    session: session,
                    configuration: configuration,
                    notifications: notifications,
                    loop: loop,
                    logger: logger
                )
                completion(.success(connection))
            } catch {
                PostgresMetrics.connectFailures.increment()
                completion(.failure(error as? PostgresConnectionError ?? .connectFailed("unknown reason")))
            }
        }
    }

    private func open() throws -> Session {
        guard let parameters = ConnectionParameters(configuration) else {
            throw PostgresConnectionError.connectFailed(
                "the connection URL is malformed; special characters in its parts must be percent-encoded"
            )
        }
        let deadline = ContinuousClock.now.advanced(by: parameters.connectTimeout ?? configuration.connectTimeout)
        let attempts = parameters.attempts
        var failures: [String] = []
        for (index, attempt) in attempts.enumerated() {
            // An equal part of what is left: a host that keeps silent leaves the others their time.
            let share = (deadline - .now) / (attempts.count - index)
            do {
                return try open(attempt, by: .now + share)
            } catch PostgresConnectionError.connectFailed(let reason) {
                if !failures.contains(reason) { failures.append(reason) }
            }
        }
        throw PostgresConnectionError.connectFailed(failures.joined(separator: "; "))
    }

    private func open(_ parameters: ConnectionParameters, by deadline: ContinuousClock.Instant) throws -> Session {
        guard let connection = parameters.withCArrays({ PQconnectStartParams($0, $1, 0) }) else {
            throw PostgresConnectionError.connectFailed("out of memory")
        }
        do {
            try finishConnecting(connection, by: deadline)
            try configure(connection)
            return Session(connection)
        } catch {
            PQfinish(connection)
            throw error
        }
    }

    private func finishConnecting(_ connection: OpaquePointer, by deadline: ContinuousClock.Instant) throws {
        if PQstatus(connection) == CONNECTION_BAD { throw failure(of: connection) }
        // Notices go to stderr otherwise, values included.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        var status = PGRES_POLLING_WRITING
        while status != PGRES_POLLING_OK {
            guard status != PGRES_POLLING_FAILED else { throw failure(of: connection) }
            let events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT
            var descriptor = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
            let remaining = (deadline - .now).milliseconds
            guard remaining > 0 else { throw PostgresConnectionError.connectFailed("timed out") }
            let count = poll(&descriptor, 1, Int32(clamping: remaining))
            if count > 0 { status = PQconnectPoll(connection) }
        }
    }

    private func configure(_ connection: OpaquePointer) throws {
        let isReady = PQsetnonblocking(connection, 1) == 0 && PQenterPipelineMode(connection) == 1
        guard isReady else { throw failure(of: connection) }
    }

    private func failure(of connection: OpaquePointer) -> PostgresConnectionError {
        let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        return .connectFailed(message.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
