import Foundation
import Synchronization

/// The one thread that does all input and output with PostgreSQL.
///
/// Work comes in by `enqueue` and `schedule` from any thread. Sockets are watched with `poll`: there are a few dozen at
/// most.
final class EventLoop {
    typealias Work = @Sendable () -> Void

    private struct Inbox {
        var work: [Work] = []
        /// Whether the thread will look into the inbox again without being woken.
        var isAwake = true
    }

    /// The loop of the process, for as long as that lives.
    ///
    /// Fails only where the process has no file descriptors left.
    static let shared = Result { try EventLoop() }

    /// What its thread is known by.
    private static let mark = "parley.postgres-io"

    private let inbox = Mutex(Inbox())
    private let lastTimer = Atomic<UInt64>(0)
    /// A byte through this pipe ends the sleep.
    private let wakeup: (read: Int32, write: Int32)

    private var sockets: [Int32: any EventHandler] = [:]
    private var writing: Set<Int32> = []
    private var timers = TimerTable()

    private init() throws {
        var descriptors: [Int32] = [-1, -1]
        guard pipe(&descriptors) == 0 else {
            throw PostgresConnectionError.connectFailed("no file descriptor for the event loop")
        }
        wakeup = (descriptors[0], descriptors[1])
        for descriptor in descriptors {
            // Not for child processes, and never blocking: a full pipe wakes just as well.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }
        let thread = Thread { [self] in
            Thread.current.threadDictionary[Self.mark] = true
            run()
        }
        thread.name = "postgres-io"
        thread.start()
    }

    /// Runs `work` on the loop's thread, in the order of the calls.
    func enqueue(_ work: @escaping Work) {
        let mustWake = inbox.withLock { inbox in
            inbox.work.append(work)
            defer { inbox.isAwake = true }
            return !inbox.isAwake
        }
        if mustWake { _ = write(wakeup.write, [UInt8(1)], 1) }
    }

    /// Runs `work` on the loop's thread once `delay` has passed, unless it is cancelled before.
    @discardableResult
    func schedule(after delay: Duration, _ work: @escaping Work) -> TimerID {
        let id = TimerID(value: lastTimer.add(1, ordering: .relaxed).newValue)
        let deadline = ContinuousClock.now.advanced(by: delay)
        enqueue { [self] in timers.insert(id, deadline: deadline, work) }
        return id
    }

    func cancel(_ timer: TimerID) {
        enqueue { [self] in timers.remove(timer) }
    }

    // MARK: On the loop's thread

    /// Stops a debug build where another thread calls.
    func assertIsCurrent(file: StaticString = #fileID, line: UInt = #line) {
        assert(Thread.current.threadDictionary[Self.mark] != nil, "off the event loop's thread", file: file, line: line)
    }

    func register(_ handler: any EventHandler, descriptor: Int32) {
        assertIsCurrent()
        sockets[descriptor] = handler
    }

    func watchWrites(_ isEnabled: Bool, descriptor: Int32) {
        if isEnabled { writing.insert(descriptor) } else { writing.remove(descriptor) }
    }

    /// To be called before the descriptor is closed: its number may then belong to another socket.
    func unregister(descriptor: Int32) {
        sockets[descriptor] = nil
        writing.remove(descriptor)
    }

    private func run() {
        while true { turn() }
    }

    /// A function of its own, never part of the loop: where a function has no end, Swift 6.3's optimiser does not release
    /// what its loop holds, and every turn leaked its watch list (seen with massif; a release build only).
    @inline(never)
    private func turn() {
        runWork()
        var watched = watchList()
        let count = poll(&watched, nfds_t(watched.count), timeout())
        inbox.withLock { $0.isAwake = true }
        if count > 0 {
            drainWakeups(watched[0])
            for socket in watched.dropFirst() where socket.revents != 0 {
                dispatch(socket)
            }
        }
        // After what has come: an answer that waits in its socket is not late.
        timers.fire(at: .now)
    }

    private func runWork() {
        let work = inbox.withLock { inbox in
            defer { inbox.work = [] }
            return inbox.work
        }
        for piece in work { piece() }
    }

    private func watchList() -> [pollfd] {
        var list = [pollfd(fd: wakeup.read, events: Int16(POLLIN), revents: 0)]
        for descriptor in sockets.keys {
            let events = writing.contains(descriptor) ? POLLIN | POLLOUT : POLLIN
            list.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        }
        return list
    }

    /// How long to sleep, in milliseconds; -1 without end.
    private func timeout() -> Int32 {
        let mayGoOn = inbox.withLock { inbox in
            inbox.isAwake = !inbox.work.isEmpty
            return inbox.isAwake
        }
        if mayGoOn { return 0 }
        guard let deadline = timers.nextDeadline else { return -1 }
        let remaining = deadline - ContinuousClock.now
        guard remaining > .zero else { return 0 }
        return Int32(clamping: remaining.milliseconds + 1)
    }

    private func drainWakeups(_ pipe: pollfd) {
        guard pipe.revents != 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 64)
        while read(pipe.fd, &buffer, buffer.count) == buffer.count {}
    }

    private func dispatch(_ socket: pollfd) {
        let events = Int32(socket.revents)
        sockets[socket.fd]?.handle(readable: events & ~POLLOUT != 0, writable: events & POLLOUT != 0)
    }
}

// Unchecked, because a thread is no actor to the compiler. Others reach it by `inbox`, which is locked, and a byte in a pipe;
// debug builds stop where somebody else calls what is its own (`assertIsCurrent`).
extension EventLoop: @unchecked Sendable {}  // SAFETY: its own thread alone touches what changes.
