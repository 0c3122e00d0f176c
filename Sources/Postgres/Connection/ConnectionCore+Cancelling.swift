import CLibPQ
import DequeModule
import Foundation
import Metrics
import Synchronization

/// Cancelling what is in flight.
///
/// PostgreSQL cancels whatever the session executes when the signal arrives, and nothing if it is idle. So a cancel can
/// come too early, when the request is still on its way: then it is repeated. And it can come too late, and hit the
/// request behind: therefore nothing is sent while a cancel is under way, and a neighbour that was hit is sent again.
extension ConnectionCore {
    private static let cancelRepeat = Duration.milliseconds(100)

    func cancelOnLoop(_ request: Request) {
        guard !request.isCancelled else { return }
        request.isCancelled = true
        switch request.phase {
        case .new, .done:
            break
        case .waiting:
            waiting.removeAll { $0 === request }
            finish(request, .failure(CancellationError()))
        case .inFlight:
            cancelHeadIfAsked()
        }
    }

    /// Sends a cancel if the request that the server is executing is to be cancelled.
    func cancelHeadIfAsked() {
        guard !isCancelling, !isClosed.load(ordering: .relaxed) else { return }
        guard let head = inFlight.first, head.isCancelled, let cancel = parley_cancel_create(connection) else { return }
        isCancelling = true
        expire(head, after: patience) { $0.giveUp(head) }
        inFlight.forEach { $0.isExposedToCancel = true }
        PostgresMetrics.cancels.increment()
        let handle = CancelHandle(pointer: cancel)
        Thread.detachNewThread { [self] in
            handle.send()
            loop.enqueue { [self] in cancelWasSent() }
        }
    }

    private func cancelWasSent() {
        isCancelling = false
        guard !isClosed.load(ordering: .relaxed) else { return }
        pump()
        guard inFlight.first?.isCancelled == true else { return }
        cancelTimer = loop.schedule(after: Self.cancelRepeat) { [weak self] in self?.cancelHeadIfAsked() }
    }

    private func giveUp(_ request: Request) {
        finish(request, .failure(CancellationError()))
        lose("no answer to a cancel")
    }

    func cancellation(for failure: any Error) -> any Error {
        (failure as? PostgresError)?.sqlState == .queryCanceled ? CancellationError() : failure
    }
}

private struct CancelHandle: Sendable {
    // What libpq needs of the connection, copied on the loop's thread. Unsafe, because the compiler trusts no pointer of C.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer  // SAFETY: handed once, to the one thread that uses it.

    /// Returns once the server has passed the signal on. With libpq 17 it goes over the session's own TLS; an older one
    /// sends it unencrypted.
    func send() {
        parley_cancel_send(pointer)
    }
}
