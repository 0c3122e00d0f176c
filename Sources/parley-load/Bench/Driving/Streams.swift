import NIOCore

/// Open streams, read as cheaply as can be.
struct Streams: Sendable {
    /// What a stream is opened with.
    struct Opening: Sendable {
        let token: String
        var cursor: String?
    }

    /// How long all streams together may take to be ready.
    private static let patience = TimeAmount.minutes(3)

    let connections: Connections
    private let listeners: NIOLoopBound<StreamListeners>

    /// Opens streams, lends them once all are ready, and closes them. One that is refused with 503 is asked for again, as
    /// clients do.
    static func with<Value>(
        _ openings: [Opening],
        to address: ServerAddress,
        by generator: Generator,
        _ body: (Streams) async throws -> Value
    ) async throws -> Value {
        try await generator.withConnections(openings.count, to: address) { connections in
            let listeners: NIOLoopBound<StreamListeners> = try await connections.perform { exchanges, promise in
                StreamListeners(exchanges).open(openings, to: address, within: patience, promise)
            }
            return try await body(Streams(connections: connections, listeners: listeners))
        }
    }

    /// Who is told of messages, on the event loop that also reads the streams.
    func listeners(on loop: any EventLoop) -> StreamListeners {
        loop.preconditionInEventLoop()
        return listeners.value
    }

    /// How the streams are at a moment.
    struct State: Sendable {
        /// Where the streams go on that follow these.
        let cursors: [String]
        /// Streams that were refused at first.
        let refusals: Int
        let ends: Int
    }

    func state() async throws -> State {
        try await connections.perform { [listeners] _, promise in
            let listeners = listeners.value
            promise.succeed(
                State(
                    cursors: listeners.scanners.map(\.cursor),
                    refusals: listeners.refusals,
                    ends: listeners.ends
                )
            )
        }
    }

    /// What the streams received beside the log, in all.
    struct Received: Sendable {
        var presences = 0
        var typings = 0
        /// The fewest people whose presence one of the streams received.
        var fewestPresent = Int.max
    }

    func received() async throws -> Received {
        try await connections.perform { [listeners] _, promise in
            var received = Received()
            for scanner in listeners.value.scanners {
                received.presences += scanner.presences
                received.typings += scanner.typings
                received.fewestPresent = min(received.fewestPresent, scanner.present.count)
            }
            promise.succeed(received)
        }
    }

    /// How a stream came back.
    struct Resumed: Sendable {
        /// From before the connection was made until all that was missed had come.
        let seconds: Double
        let messages: Int
        /// Where the next stream goes on.
        let cursor: String
    }

    /// Opens one stream, reads until it is ready, and closes it.
    static func resume(
        _ opening: Opening,
        to address: ServerAddress,
        by generator: Generator
    ) async throws -> Resumed {
        let started = NIODeadline.now()
        return try await with([opening], to: address, by: generator) { streams in
            try await streams.connections.perform { [listeners = streams.listeners] _, promise in
                let scanner = listeners.value.scanners[0]
                let seconds = ((listeners.value.readyAt ?? .now()) - started).seconds
                promise.succeed(Resumed(seconds: seconds, messages: scanner.messages, cursor: scanner.cursor))
            }
        }
    }
}
