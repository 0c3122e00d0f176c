import Foundation

/// What became of a claimed row.
struct PushCompletion: Sendable {
    enum Result: Sendable, Equatable {
        case accepted(PushDecision.Kind)
        case dropped(PushDecision.Reason)
        /// Tried in vain, and tried again after this.
        case retry(after: Duration)
        /// Not tried, and looked at again after this.
        case postponed(by: Duration)
        case dead(PushDecision.Kind, reason: String)
    }

    let job: PushJob
    let result: Result
    /// Since the newest message was accepted.
    let age: Duration

    init(_ job: PushJob, _ result: Result, at now: Date) {
        self.job = job
        self.result = result
        age = .milliseconds(Int64(clamping: Int((max(0, now.timeIntervalSince(job.newestAt)) * 1_000).rounded())))
    }

    /// How many messages need no notification any more.
    var taken: Int {
        switch result {
        case .accepted, .dropped, .dead: job.pending
        case .retry, .postponed: 0
        }
    }

    /// How many more the device shows.
    var shows: Int {
        switch result {
        case .accepted(.alert), .accepted(.digest): job.pending
        default: 0
        }
    }

    /// Whether the device shows nothing of the conversation any more, as far as it can be told.
    var clears: Bool {
        switch result {
        case .accepted(.clear), .dropped(.notCleared), .dropped(.notMember), .dead(.clear, _): true
        default: false
        }
    }

    var isSent: Bool { if case .accepted(let kind) = result { kind != .clear } else { false } }

    var wait: Duration? {
        switch result {
        case .retry(let pause), .postponed(let pause): pause
        default: nil
        }
    }

    var attempts: Int {
        switch result {
        case .retry: job.attempts + 1
        case .postponed: job.attempts
        case .accepted, .dropped, .dead: 0
        }
    }

    /// What the timeline says of it: kind, outcome and reason; nil where nothing has ended.
    var record: (kind: String, outcome: String, reason: String?)? {
        switch result {
        case .accepted(let kind): (kind.rawValue, "accepted", nil)
        case .dropped(let reason): job.pending > 0 ? ("alert", "dropped", reason.rawValue) : nil
        case .dead(let kind, let reason): (kind.rawValue, "dead", reason)
        case .retry, .postponed: nil
        }
    }
}
