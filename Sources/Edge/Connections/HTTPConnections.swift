import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

/// HTTP/1.1: each connection is served by one task, on the thread of its event loop.
struct HTTPConnections: ServerChildChannel {
    let responder: EdgeResponder
    let limits: EdgeLimits
    let counts: ConnectionCounts
    let bodies: CallerBudget
    let refusals: ConnectionRefusals

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        channel.eventLoop.makeCompletedFuture {
            try channel.syncOptions?.setOption(.recvAllocator, value: receiving)
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 4)
            var decoding = NIOHTTPDecoderLimitConfiguration()
            decoding.maxHeaderFieldSize = limits.maxHeaderFieldBytes
            decoding.maxHeaderListSize = limits.maxHeaderBytes
            decoding.maxHeaderFieldCount = limits.maxHeaderFields
            let connection = HTTPConnection(
                channel,
                isLate: responder.rules.drain.hasBegun,
                bodies: bodies,
                limits: limits
            )
            let pipeline = channel.pipeline.syncOperations
            let bytes = IncomingBytes()
            try pipeline.addHandler(bytes)
            // The connection takes requests one by one, the guard answers what is not HTTP, and fields are made valid.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false,
                withErrorHandling: false,
                withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: decoding
            )
            try pipeline.addHandler(MessageRules(bytes))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(
                ConnectionGuard(limits: limits, counts: counts, bytes: bytes, refusals: refusals)
            )
            try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: limits.idleTimeout, logger: logger))
            try pipeline.addHandler(connection)
            return AcceptedConnection(connection)
        }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        let connection = value.take()
        let channel = connection.channel
        await withTaskExecutorPreference(EventLoopExecutor(channel.eventLoop)) {
            await withTaskCancellationHandler {
                await serve(connection, logger)
                try? await channel.closeFuture.get()
            } onCancel: {
                channel.close(promise: nil)
            }
        }
    }

    private func serve(_ connection: HTTPConnection, _ logger: Logger) async {
        do {
            if let stream = try await answerOnATaskOfItsOwn(connection, logger) {
                try await CurrentRequest.$id.withValue(stream.requestID) { try await connection.write(stream.body) }
            }
        } catch is BrokenAnswer {
            // The client has what could be read, and sees by the end of the connection that it is not all.
        } catch {
            // An answer that breaks off must not look like a whole one.
            return connection.channel.close(promise: nil)
        }
        connection.finish()
    }

    /// A stream, whose head is written.
    private struct LastAnswer {
        let body: ResponseBody
        let requestID: String
    }

    /// What a task has used of its own memory it keeps until it ends: so that of the requests is gone while a stream, which
    /// is the last answer of its connection, goes on for hours.
    ///
    /// What only reads ends with the client's leaving, its query too: nobody would get the answer. What changes something
    /// is finished.
    @inline(never)
    private func answerOnATaskOfItsOwn(_ connection: HTTPConnection, _ logger: Logger) async throws -> LastAnswer? {
        try await withThrowingTaskGroup(of: LastAnswer?.self) { group in
            group.addTask { try await answerRequests(connection, logger) }
            group.addTask {
                await connection.clientLeaves()
                throw CancellationError()
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Answers the requests of a connection one after the other.
    ///
    /// - Returns: a stream; nil where no more requests are to come.
    private func answerRequests(_ connection: HTTPConnection, _ logger: Logger) async throws -> LastAnswer? {
        do {
            while let request = try await connection.next() {
                let context = EdgeContext(connection, logger: logger)
                var response = try await responder.respond(to: request, context: context)
                response.headers[.date] = HTTPDate.now
                let isLast = request.head.endsConnection || response.headers.single(.connection) == "close"
                if isLast { response.headers[.connection] = "close" }
                if isLast, response.isStream {
                    try await connection.write(response.head)
                    return LastAnswer(body: response.body, requestID: context.requestID)
                }
                do {
                    // Some are read while they are written.
                    try await CurrentRequest.$id.withValue(context.requestID) { [response] in
                        try await connection.write(response)
                    }
                } catch let broken as BrokenAnswer {
                    responder.note(broken, of: context)
                    throw broken
                }
                if isLast { break }
            }
        } catch is HTTPParserError {
            // The guard makes a problem document of it.
            try await connection.write(Response(status: .badRequest, headers: [.connection: "close"]))
        }
        return nil
    }
}

/// What a connection reads into: nearly every request fits, and an idle stream keeps no more than this. It grows for
/// those who send more, so far that the four reads that may follow each other at once bring 64 KiB.
private let receiving = AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 1_024, maximum: 16_384)

extension Response {
    fileprivate var isStream: Bool { body.contentLength == nil }
}

/// A connection on its way to whoever serves it.
///
/// A server that stops drops those that it has accepted and that nobody has taken yet; they would stay open, and nobody
/// would answer.
final class AcceptedConnection: ServerChildChannelValue {
    private let connection: HTTPConnection
    private let isTaken = Atomic(false)

    var channel: any Channel { connection.channel }

    init(_ connection: HTTPConnection) {
        self.connection = connection
    }

    func take() -> HTTPConnection {
        isTaken.store(true, ordering: .relaxed)
        return connection
    }

    deinit {
        if !isTaken.load(ordering: .relaxed) { connection.channel.close(promise: nil) }
    }
}
