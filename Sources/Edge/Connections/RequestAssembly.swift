import DequeModule
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// One client's requests: put together from their parts, and kept in order until those before them are answered.
///
/// A request whose body came along with its head is one value. Of another the body is still to come when it is handed on,
/// which is when those before it are answered; until then no more of it is read than came along.
/// A class, since a body that gets its piece asks at once whether more may be read; used on its connection's event loop alone.
final class RequestAssembly {
    /// A request, with its body where that did not come along.
    struct Assembled {
        let request: Request
        let body: StreamedBody?
    }

    /// What a request is between its head and its end.
    private enum Arriving {
        case nothing
        case whole(HTTPRequest, ByteBuffer?)
        case late(StreamedBody)
        /// The rest of a body that nobody reads.
        case discarded
    }

    /// Of a body so much is held while its turn has not come, in bytes: more than comes along with a head. More is read all
    /// the same where the client has closed its side.
    private static let mostAhead = 64 * 1_024

    private var arriving = Arriving.nothing
    /// Requests that wait for those before them. While there is one nothing more is read.
    private var waiting = Deque<Assembled>()
    /// Behind a request to change the protocol the parser stops, whatever the answer is. So nothing more is read: it would
    /// be kept.
    private(set) var hasLastRequest = false
    private var isStopped = false

    // MARK: Parts

    /// - Returns: The request that is complete with this part.
    func take(_ part: HTTPRequestPart) -> Assembled? {
        guard !isStopped else { return nil }
        switch part {
        case .head(let head):
            arriving = .whole(head, nil)
            hasLastRequest = head.changesProtocol
            return nil
        case .body(let bytes):
            append(bytes)
            return nil
        case .end: return end()
        }
    }

    private func append(_ bytes: ByteBuffer) {
        switch arriving {
        case .whole(let head, nil): arriving = .whole(head, bytes)
        case .whole(let head, .some(var all)):
            arriving = .nothing
            guard all.readableBytes + bytes.readableBytes <= Self.mostAhead else { return dropTheRest() }
            all.writeImmutableBuffer(bytes)
            arriving = .whole(head, all)
        case .late(let body): body.append(bytes)
        case .nothing, .discarded: break
        }
    }

    /// A request that gets no answer has none behind it that does: that would be taken for its own.
    private func dropTheRest() {
        arriving = .discarded
        isStopped = true
    }

    private func end() -> Assembled? {
        defer { arriving = .nothing }
        switch arriving {
        case .whole(let head, let bytes):
            let body = RequestBody(buffer: bytes ?? ByteBuffer())
            return Assembled(request: Request(head: head.stating(bytes?.readableBytes), body: body), body: nil)
        case .late(let body):
            body.complete()
            return nil
        case .nothing, .discarded: return nil
        }
    }

    /// Hands on the request that is not complete with what was read, its body to follow in `makeBody`'s; not while others wait
    /// before it.
    func stream(_ makeBody: (HTTPRequest, ByteBuffer?) -> StreamedBody) -> Assembled? {
        guard waiting.isEmpty, case .whole(let head, let bytes) = arriving else { return nil }
        let body = makeBody(head, bytes)
        arriving = .late(body)
        return Assembled(request: Request(head: head, body: RequestBody(asyncSequence: body)), body: body)
    }

    // MARK: Order

    func enqueue(_ request: Assembled) {
        waiting.append(request)
    }

    func popFirst() -> Assembled? {
        waiting.popFirst()
    }

    // MARK: Reading

    /// Whether there is room for more of what the client sends.
    var acceptsMore: Bool {
        guard waiting.isEmpty else { return false }
        return switch arriving {
        case .late(let body): body.acceptsMore
        case .nothing: !hasLastRequest
        case .whole: false
        case .discarded: true
        }
    }

    func isArriving(_ body: StreamedBody) -> Bool {
        if case .late(let late) = arriving { late === body } else { false }
    }

    // MARK: End

    /// Lets the rest of a body pass by, once its request is answered or its client is taken to have left.
    func discardBody() {
        guard waiting.isEmpty else { return }
        switch arriving {
        case .late, .whole: arriving = .discarded
        case .nothing, .discarded: break
        }
    }

    /// Lets everything pass by that still comes.
    func stop() {
        waiting.removeAll()
        if !hasLastRequest { arriving = .discarded }
        isStopped = true
    }

    /// Ends the body that still comes, if one does.
    ///
    /// - Parameter error: What the client did, or nil where it has left.
    /// - Returns: false where the error is of no concern: behind it stood the rest of a request that has its answer.
    func close(_ error: (any Error)?) -> Bool {
        defer { arriving = .discarded }
        switch arriving {
        case .late(let body):
            // What else ends a body is nobody's fault, and nobody is there to be told.
            body.fail(error as? HTTPParserError ?? CancellationError())
            return true
        case .discarded: return false
        case .nothing, .whole: return true
        }
    }
}
