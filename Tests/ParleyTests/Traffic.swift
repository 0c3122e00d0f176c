import Foundation
import Testing

/// Messages that are sent without a pause, each under its own id until it is answered, and what became of them.
actor Traffic {
    /// Where a failover stands.
    enum Phase: Int, Comparable {
        case attached, detaching, detached, failing, promoted

        static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Sent {
        let begun: Phase
        let answered: Phase
    }

    private(set) var phase = Phase.attached
    private var answered: [String: Sent] = [:]
    private var isOver = false
    private var waiting: [(count: Int, phase: Phase, continuation: CheckedContinuation<Void, Never>)] = []

    func enter(_ phase: Phase) {
        self.phase = phase
    }

    func end() {
        isOver = true
    }

    /// Sends to conversations in turn until ended.
    func run(_ sender: Client, to conversations: [String]) async throws {
        for conversation in (0...).lazy.map({ conversations[$0 % conversations.count] }) {
            if isOver { return }
            try await send(sender, to: conversation)
        }
    }

    private func send(_ sender: Client, to conversation: String) async throws {
        let id = UUID().uuidString.lowercased()
        let path = "/v1/conversations/\(conversation)/messages/\(id)"
        let begun = phase
        while true {
            let answer = try await sender.send("PUT", path, #"{"text":"\#(id)"}"#)
            // Not now, or unknown whether: the same id tells.
            if answer.status == 503 { continue }
            try #require(answer.status == 201 || answer.status == 200, "\(answer.status) \(answer.body)")
            answered[id] = Sent(begun: begun, answered: phase)
            wake()
            return
        }
    }

    /// Waits until so many messages were sent and answered in this phase.
    func sends(_ count: Int, in phase: Phase) async {
        await withCheckedContinuation { continuation in
            waiting.append((count, phase, continuation))
            wake()
        }
    }

    private func wake() {
        let ready = waiting.filter { ids(begunAndAnsweredIn: $0.phase).count >= $0.count }
        waiting.removeAll { ids(begunAndAnsweredIn: $0.phase).count >= $0.count }
        for waiter in ready { waiter.continuation.resume() }
    }

    // MARK: What became of them

    var all: Set<String> { Set(answered.keys) }

    func ids(begunAndAnsweredIn phase: Phase) -> Set<String> {
        Set(answered.filter { $0.value.begun == phase && $0.value.answered == phase }.keys)
    }

    func ids(answeredBefore phase: Phase) -> Set<String> {
        Set(answered.filter { $0.value.answered < phase }.keys)
    }
}
