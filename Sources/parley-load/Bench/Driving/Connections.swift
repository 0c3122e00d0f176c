import NIOCore

/// Open connections to one server.
struct Connections: Sendable {
    let eventLoop: any EventLoop
    let channels: [any Channel]
    let exchanges: [NIOLoopBound<Exchange>]

    var count: Int { exchanges.count }

    /// Lets a body use the connections on their event loop until it fulfils its promise. Cancelling the task closes them,
    /// which ends whatever the body has begun.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable ([Exchange], EventLoopPromise<Value>) -> Void
    ) async throws -> Value {
        let promise = eventLoop.makePromise(of: Value.self)
        return try await withTaskCancellationHandler {
            eventLoop.execute { body(exchanges.map(\.value), promise) }
            let value = try await promise.futureResult.get()
            try Task.checkCancellation()
            return value
        } onCancel: {
            for channel in channels { channel.close(promise: nil) }
        }
    }

    func close() async {
        for channel in channels { channel.close(promise: nil) }
        for channel in channels { try? await channel.closeFuture.get() }
    }
}
