import HTTPTypes
import Hummingbird

extension Response {
    /// Takes what a large answer holds from what its caller may take, until the client has taken the answer or is gone.
    ///
    /// A client that asks and does not read would hold its answer until its deadline (``EdgeLimits/answerDeadline``); so
    /// many of them would hold more than the machine has.
    ///
    /// - Throws: `overloaded` where there is no room for it.
    mutating func hold(within memory: AnswerMemory) throws {
        // What can be asked for in ranges is read piece by piece as it is written, and has taken what it holds (``Content``).
        guard headers[.acceptRanges] == nil, let bytes = body.contentLength, let part = try memory.take(bytes) else {
            return
        }
        let whole = body
        body = ResponseBody(contentLength: bytes) { [part] writer in
            try await whole.write(writer)
            withExtendedLifetime(part) {}
        }
    }
}
