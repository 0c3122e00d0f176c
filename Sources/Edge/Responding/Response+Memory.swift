import HTTPTypes
import Hummingbird
import ParleyWire

extension Response {
    /// Answers up to this size are what the connections' own buffers hold in any case.
    private static let uncounted = 64 * 1_024

    /// Takes what a large answer holds from the budget of all, until the client has taken the answer or is gone.
    ///
    /// A client that asks and does not read would hold its answer until its deadline (``EdgeLimits/answerDeadline``); so
    /// many of them would hold more than the machine has.
    ///
    /// - Throws: `overloaded` where there is no room for it.
    mutating func hold(from budget: MemoryBudget) throws {
        // What can be asked for in ranges is read piece by piece as it is written (``Content``).
        guard let bytes = body.contentLength, bytes > Self.uncounted, headers[.acceptRanges] == nil else { return }
        guard let share = budget.share(bytes) else {
            throw HTTPProblem(.overloaded, "Too many large answers wait for those who asked for them.")
        }
        let whole = body
        body = ResponseBody(contentLength: bytes) { [share] writer in
            try await whole.write(writer)
            withExtendedLifetime(share) {}
        }
    }
}
