import Foundation
import NIOCore
import NIOPosix
import ParleyWire
import Synchronization
import TestSupport

/// A stream as a client has it: raw bytes off a socket, unwrapped from HTTP/1.1, read as server-sent events.
final class LiveStream: Sendable {
    fileprivate struct State {
        var head = ""
        var unread = ByteBuffer()
        var parsed = SentEvents()
        var taken = 0
        var isOver = false
        var reader: CheckedContinuation<Void, Never>?

        var isWaiting: Bool { taken == parsed.events.count && !isOver }
    }

    private let channel: any Channel
    private let state = Mutex(State())

    fileprivate init(_ channel: any Channel) {
        self.channel = channel
    }

    var head: String { state.withLock { $0.head } }
    /// What follows the head of an answer that is no stream.
    var body: String { state.withLock { String(buffer: $0.unread) } }
    var parsed: SentEvents { state.withLock { $0.parsed } }
    var lastID: String { state.withLock { $0.parsed.lastID } }

    /// The next event that is no system message: those accompany others. Nil when the stream has ended.
    func next() async -> SentEvents.Event? {
        while let event = await nextOfAll() {
            if !event.isSystemMessage { return event }
        }
        return nil
    }

    /// The next event; nil when the stream has ended. Called by one task at a time.
    func nextOfAll() async -> SentEvents.Event? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.isWaiting { state.reader = continuation }
                    return !state.isWaiting
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            cut()
        }
        return state.withLock { state in
            guard state.taken < state.parsed.events.count else { return nil }
            state.taken += 1
            return state.parsed.events[state.taken - 1]
        }
    }

    /// The next event that is not about unread counts or presence, which come when they like.
    func nextInOrder() async -> SentEvents.Event? {
        while let event = await next() {
            if event.name != "unread.updated", event.name != "presence.updated" { return event }
        }
        return nil
    }

    /// Reads on to an event of this name and returns it.
    func next(_ name: StreamEventName) async throws -> StreamEvent {
        while let event = await next() {
            if event.name == name.rawValue { return try StreamEvent(event) }
        }
        throw StreamOver()
    }

    /// Reads on to a message and returns its text.
    func nextText() async throws -> String? {
        guard case .messageCreated(let created) = try await next(.messageCreated) else { throw StreamOver() }
        return created.message.text
    }

    func skip(to name: StreamEventName) async throws {
        _ = try await next(name)
    }

    /// Reads to the end and returns what came.
    func rest() async -> [SentEvents.Event] {
        var events: [SentEvents.Event] = []
        while let event = await next() { events.append(event) }
        return events
    }

    /// Reads on to a system message.
    func nextSystemMessage() async throws -> Message {
        while let event = await nextOfAll() {
            if event.isSystemMessage, case .messageCreated(let created) = try StreamEvent(event) {
                return created.message
            }
        }
        throw StreamOver()
    }

    struct StreamOver: Error {}

    /// Takes nothing from the socket any more, or again.
    func stall(_ isStalled: Bool) async throws {
        try await channel.setOption(.autoRead, value: !isStalled).get()
        if !isStalled { channel.read() }
    }

    func cut() {
        channel.close(promise: nil)
    }

    /// Waits until the connection is gone, whoever ended it.
    func isClosed() async throws {
        try await channel.closeFuture.get()
    }

    // MARK: Bytes

    fileprivate func receive(_ bytes: ByteBuffer) {
        change { state in
            state.unread.writeImmutableBuffer(bytes)
            state.readHead()
            while !state.isOver, let chunk = state.nextChunk() {
                if chunk.readableBytes == 0 {
                    state.isOver = true
                } else {
                    state.parsed.feed(chunk)
                }
            }
            state.unread.discardReadBytes()
        }
    }

    fileprivate func finish() {
        change { $0.isOver = true }
    }

    private func change(_ body: (inout State) -> Void) {
        let reader = state.withLock { state in
            body(&state)
            guard !state.isWaiting, let reader = state.reader else { return CheckedContinuation<Void, Never>?.none }
            state.reader = nil
            return reader
        }
        reader?.resume()
    }
}

extension LiveStream.State {
    fileprivate mutating func readHead() {
        guard head.isEmpty, let end = unread.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        head = unread.readString(length: end.upperBound - unread.readerIndex) ?? ""
        if !head.hasPrefix("HTTP/1.1 200 ") { isOver = true }
    }

    /// RFC 9112 §7.1: the size in hexadecimal, a line break, the chunk, a line break.
    fileprivate mutating func nextChunk() -> ByteBuffer? {
        guard !head.isEmpty else { return nil }
        let view = unread.readableBytesView
        guard let lineBreak = view.firstRange(of: Array("\r\n".utf8)) else { return nil }
        let line = String(decoding: view[..<lineBreak.lowerBound], as: UTF8.self)
        guard let size = Int(line, radix: 16), view.endIndex >= lineBreak.upperBound + size + 2 else { return nil }
        unread.moveReaderIndex(forwardBy: lineBreak.upperBound - view.startIndex)
        let chunk = unread.readSlice(length: size)
        unread.moveReaderIndex(forwardBy: 2)
        return chunk
    }
}

private final class Receiver: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    let stream: LiveStream

    init(_ stream: LiveStream) {
        self.stream = stream
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        stream.receive(unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        stream.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

extension SentEvents.Event {
    var isSystemMessage: Bool { name == "message.created" && data.contains(#""kind":"system""#) }
}

extension StreamEvent {
    init(_ event: SentEvents.Event) throws {
        try self.init(name: event.name, data: Data(event.data.utf8))
    }
}

extension LiveServer {
    /// Opens a stream.
    ///
    /// - Parameter receiveBuffer: how much the client's side of the socket holds.
    func stream(
        of person: LivePerson,
        since cursor: String? = nil,
        query: String = "",
        receiveBuffer: Int? = nil
    ) async throws -> LiveStream {
        var bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer))
        }
        let channel = try await bootstrap.connect(host: "localhost", port: port).get()
        let stream = LiveStream(channel)
        try await channel.pipeline.addHandler(Receiver(stream)).get()
        var request = "GET /v1/stream\(query) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
        request += "Authorization: Bearer \(person.token)\r\n"
        if let cursor { request += "Last-Event-ID: \(cursor)\r\n" }
        try await channel.writeAndFlush(ByteBuffer(string: request + "\r\n"))
        return stream
    }

    /// Opens a stream and reads until it is up to date.
    func readyStream(of person: LivePerson, since cursor: String? = nil) async throws -> LiveStream {
        let stream = try await stream(of: person, since: cursor)
        try await stream.skip(to: .ready)
        return stream
    }
}
