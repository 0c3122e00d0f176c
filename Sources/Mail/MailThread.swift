import Dispatch
import Foundation
import Synchronization

/// One thread that delivers mails, so that a slow mail server blocks nothing else.
final class MailThread: Sendable {
    private let queue = MailQueue()

    init() {
        let queue = queue
        let thread = Thread { queue.work() }
        thread.name = "mail"
        thread.start()
    }

    deinit {
        queue.stop()
    }

    /// Runs `work` on the thread, which looks at the flag now and then: it is set when nobody waits any more.
    func run(_ work: @escaping @Sendable (MailFlag) throws -> Void) async throws {
        let abandoned = MailFlag()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isAccepted = queue.add {
                    guard !abandoned.isSet else { return continuation.resume(throwing: CancellationError()) }
                    continuation.resume(with: Result { try work(abandoned) })
                }
                if !isAccepted { continuation.resume(throwing: MailError.busy) }
            }
        } onCancel: {
            abandoned.set()
        }
    }
}

/// A sign for the thread that somebody else sets.
final class MailFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
    }
}

/// What waits for the thread, which holds this rather than its owner, so that the owner's end is its own.
private final class MailQueue: Sendable {
    private static let limit = 16
    private let waiting = Mutex<[@Sendable () -> Void]>([])
    /// One signal per piece of work, and one to end the thread.
    private let signal = DispatchSemaphore(value: 0)

    func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isAccepted = waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return false }
            waiting.append(work)
            return true
        }
        if isAccepted { signal.signal() }
        return isAccepted
    }

    func work() {
        while true {
            signal.wait()
            let work = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            // More signals than work: the owner has gone, and all that was accepted is done.
            guard let work else { return }
            work()
        }
    }

    func stop() {
        signal.signal()
    }
}
