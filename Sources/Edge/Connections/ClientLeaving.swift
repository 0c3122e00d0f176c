/// Whether the client of one connection has left, and who waits for that: it ends requests that only read.
///
/// A value of its connection's, which is confined to the event loop.
struct ClientLeaving {
    /// Whether what is answered only reads, and nothing of its answer is written yet.
    private var mayEnd = false
    private var hasLeft = false
    private var waiter: CheckedContinuation<Void, Never>?
    private var isOver = false

    /// A request is about to be answered.
    mutating func begin(isReadOnly: Bool) {
        mayEnd = isReadOnly
        endWaitingIfLeft()
    }

    /// From now on leaving ends nothing: an answer is over, or has begun, and what has been read for the client is given to
    /// it, however long it takes that.
    mutating func endNothing() {
        mayEnd = false
    }

    mutating func leave() {
        hasLeft = true
        endWaitingIfLeft()
    }

    mutating func wait(_ waiter: CheckedContinuation<Void, Never>) {
        self.waiter = waiter
        endWaitingIfLeft()
    }

    mutating func endWaiting() {
        isOver = true
        waiter?.resume()
        waiter = nil
    }

    private mutating func endWaitingIfLeft() {
        if isOver || (hasLeft && mayEnd) { endWaiting() }
    }
}
