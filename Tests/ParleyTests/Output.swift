import Foundation
import Postgres
import Synchronization

/// What comes out of a pipe or a socket, collected by a thread of its own.
final class Output: Sendable {
    private let state = Mutex(State())

    private struct State {
        var bytes: [UInt8] = []
        var isAtEnd = false
        var waiting: [(text: String?, continuation: CheckedContinuation<Bool, Never>)] = []

        mutating func takeCompleted() -> [(CheckedContinuation<Bool, Never>, Bool)] {
            let text = String(decoding: bytes, as: UTF8.self)
            let found = { (expected: String?) in expected.map { text.contains($0) } ?? false }
            let completed = waiting.filter { isAtEnd || found($0.text) }
            waiting.removeAll { isAtEnd || found($0.text) }
            return completed.map { ($0.continuation, found($0.text)) }
        }
    }

    init(_ reading: FileDescriptor) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(reading.rawValue, &buffer, buffer.count)
                let completed = state.withLock { state in
                    if count > 0 { state.bytes += buffer.prefix(count) } else { state.isAtEnd = true }
                    return state.takeCompleted()
                }
                for (continuation, result) in completed { continuation.resume(returning: result) }
                if count <= 0 { return }
            }
        }
    }

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    func waits(for text: String) async -> Bool { await wait(for: text) }

    func waitsForEnd() async { _ = await wait(for: nil) }

    private func wait(for text: String?) async -> Bool {
        await withCheckedContinuation { continuation in
            let completed = state.withLock { state in
                state.waiting.append((text, continuation))
                return state.takeCompleted()
            }
            for (continuation, result) in completed { continuation.resume(returning: result) }
        }
    }
}
