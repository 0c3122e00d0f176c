package import Foundation
import Glibc
import Synchronization

/// A program started by this one, with a thread of its own that waits for it.
///
/// The thread matters: Linux delivers a "parent died" signal when the *thread* that started the child ends, so a child
/// started from a thread pool could be killed at any time. This thread lives exactly as long as its child.
package final class ChildProcess: Sendable {
    package let pid: pid_t
    private let state: Mutex<State>

    private enum State {
        case running([CheckedContinuation<ExitStatus, Never>])
        case exited(ExitStatus)
    }

    private init(pid: pid_t) {
        self.pid = pid
        state = Mutex(.running([]))
    }

    /// Starts a program in a process group of its own, so that a Ctrl-C in the terminal reaches this program alone.
    ///
    /// - Parameters:
    ///   - command: the path of the program and its arguments.
    ///   - environment: the child's whole environment.
    ///   - input: becomes the child's standard input; `/dev/null` where nil.
    ///   - output: becomes the child's standard output and standard error; `/dev/null` where nil.
    /// - Throws: `POSIXError` if the program cannot be started.
    package static func start(
        _ command: [String],
        environment: [String: String],
        input: FileDescriptor? = nil,
        output: FileDescriptor? = nil
    ) async throws -> ChildProcess {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                do {
                    let pid = try spawn(command, environment: environment, input: input, output: output)
                    let child = ChildProcess(pid: pid)
                    continuation.resume(returning: child)
                    child.waitOnThisThread()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Runs a short program to its end and gives what it printed.
    package static func run(
        _ command: [String],
        environment: [String: String],
        input: FileDescriptor? = nil
    ) async throws -> (status: ExitStatus, output: String) {
        let output = try FileDescriptor.anonymous()
        let child = try await start(command, environment: environment, input: input, output: output)
        let status = await child.wait()
        return (status, output.text())
    }

    /// How the child ended, or nil while it runs.
    package var exitStatus: ExitStatus? {
        state.withLock { if case .exited(let status) = $0 { status } else { nil } }
    }

    /// Waits until the child has ended.
    package func wait() async -> ExitStatus {
        await withCheckedContinuation { continuation in
            let status: ExitStatus? = state.withLock { state in
                switch state {
                case .running(let waiters):
                    state = .running(waiters + [continuation])
                    return nil
                case .exited(let status):
                    return status
                }
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Waits until the child has ended, or gives nil when the time is over.
    package func wait(atMost limit: Duration) async -> ExitStatus? {
        let deadline = ContinuousClock.now + limit
        while exitStatus == nil, ContinuousClock.now < deadline {
            await pauseBriefly()
        }
        return exitStatus
    }

    /// Sends a signal, unless the child has ended: its process id may belong to another by then.
    package func signal(_ signal: Int32) {
        state.withLock { state in
            if case .running = state { _ = kill(pid, signal) }
        }
    }

    private func waitOnThisThread() {
        // Seen ended first and reaped last, so that `signal` never meets a process id that is free again.
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLock { state in
            var raw: Int32 = 0
            while waitpid(pid, &raw, 0) == -1, errno == EINTR {}
            let status = ExitStatus(waitStatus: raw)
            if case .running(let waiters) = state {
                for waiter in waiters { waiter.resume(returning: status) }
            }
            state = .exited(status)
        }
    }
}

/// How a program ended.
package enum ExitStatus: Hashable, Sendable, CustomStringConvertible {
    case code(Int32)
    case signal(Int32)

    fileprivate init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .code((waitStatus >> 8) & 0xff) : .signal(signal)
    }

    package var isSuccess: Bool { self == .code(0) }

    package var description: String {
        switch self {
        case .code(let code): "exit code \(code)"
        case .signal(let signal): "signal \(signal)"
        }
    }
}

/// Waits for a moment between two looks at something that tells nobody when it changes, such as a file or a process
/// that is not a child. Goes on after a cancellation, because what is being stopped must still be waited for.
func pauseBriefly() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { continuation.resume() }
    }
}

private func spawn(
    _ command: [String],
    environment: [String: String],
    input: FileDescriptor?,
    output: FileDescriptor?
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    posix_spawn_file_actions_adddup2(&actions, (input ?? null).rawValue, 0)
    posix_spawn_file_actions_adddup2(&actions, (output ?? null).rawValue, 1)
    posix_spawn_file_actions_adddup2(&actions, (output ?? null).rawValue, 2)
    // What some library opened without close-on-exec must not live on in PostgreSQL, above all no listening socket.
    for descriptor in FileDescriptor.inheritable where descriptor > 2 {
        posix_spawn_file_actions_addclose(&actions, descriptor)
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
        &attributes,
        Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
    )

    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for string in arguments + variables { free(string) } }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, command.first ?? "", &actions, &attributes, &arguments, &variables)
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
    return pid
}
