import ArgumentParser
import Foundation
import UnixSignals

/// How a command ends: 0 it holds, 1 a check failed, 2 wrong use or no server, 130 interrupted.
enum Outcome {
    static let failed = ExitCode(1)
    static let unusable = ExitCode(2)
    static let interrupted = ExitCode(130)

    private enum End: Sendable {
        case finished(Bool)
        case interrupted
    }

    /// Runs a body until it ends or the user interrupts it, and turns that into an exit code.
    static func exit(onInterrupt message: String, _ body: @escaping @Sendable () async throws -> Bool) async throws {
        do {
            let end = try await withThrowingTaskGroup(of: End.self) { tasks in
                tasks.addTask { .finished(try await body()) }
                tasks.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return .interrupted }
                    // The sequence ends when the body has ended and this task is cancelled.
                    throw CancellationError()
                }
                defer { tasks.cancelAll() }
                return try await tasks.next() ?? .interrupted
            }
            switch end {
            case .finished(true): return
            case .finished(false): throw failed
            case .interrupted:
                complain(message)
                throw interrupted
            }
        } catch let failure as APIFailure {
            complain("\(failure)")
            switch failure {
            case .unreachable: throw unusable
            case .keepsFailing, .unexpected: throw failed
            }
        } catch let problem as Journal.Unusable {
            complain("\(problem)")
            throw unusable
        } catch let problem as PeerFile.Problem {
            complain("\(problem)")
            throw unusable
        } catch let problem as ChatLog.Unreadable {
            complain("\(problem)")
            throw unusable
        }
    }

    static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
