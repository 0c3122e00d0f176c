/// What one caller sent: statements that stand or fall together, up to one Sync.
final class Request {
    enum Work {
        case statements([SQL])
        /// Many statements as one text, by the simple protocol.
        case script(String)
        /// Many rows for one table.
        case copy(CopyRows)
        /// Frees prepared statements; nobody waits for it.
        case deallocate([String])
    }

    enum Phase {
        case new
        case waiting
        case inFlight
        case done
    }

    /// What the server will answer, in order; every step but `sync` ends with a NULL result of libpq.
    enum Step {
        case prepare(StatementCache.Key)
        case execute(Int)
        case sync
    }

    struct Reply: Sendable {
        var rows: [Rows] = []
        /// The last statement's command tag, such as `COMMIT`.
        var tag = ""
        /// Whether a statement began or ended a transaction.
        var controlledTransaction = false
    }

    typealias Continuation = CheckedContinuation<Reply, any Error>

    let work: Work
    let site: CallSite
    /// Whether the session is given up if the answer does not come soon after it is sent.
    let isUrgent: Bool

    var continuation: Continuation?
    var phase = Phase.new
    var isCancelled = false
    /// Gives the session up if the answer does not come.
    var timer: TimerID?
    var wasRetried = false
    /// Whether a cancel meant for another request may have hit this one.
    var isExposedToCancel = false
    /// Whether it used statements prepared earlier, which a change of a table can make stale.
    var reusedStatements: [StatementCache.Key] = []

    var steps: [Step] = []
    var nextStep = 0
    var hasResultOfStep = false
    var reply = Reply()
    var failure: (any Error)?
    /// Whether the server waits for the rest of the rows.
    var isCopying = false
    var bytesCopied = 0

    init(_ work: Work, site: CallSite, isUrgent: Bool = false) {
        self.work = work
        self.site = site
        self.isUrgent = isUrgent
    }

    /// Whether it is sent outside of pipeline mode, which is possible only when nothing else is in flight.
    var isAlone: Bool {
        switch work {
        case .script, .copy: true
        case .statements, .deallocate: false
        }
    }

    var isCopy: Bool {
        if case .copy = work { true } else { false }
    }

    var currentStep: Step? {
        nextStep < steps.count ? steps[nextStep] : nil
    }

    /// The statement that the current step belongs to, and its place among several.
    var currentStatement: (text: String, index: Int?) {
        switch work {
        case .script:
            return ("", nil)
        case .copy(let rows):
            return (rows.statement, nil)
        case .deallocate:
            return ("DEALLOCATE", nil)
        case .statements(let statements):
            // A step past the last statement is the commit at Sync.
            let executed = steps.prefix(nextStep).count { if case .execute = $0 { true } else { false } }
            let index = min(executed, statements.count - 1)
            return (statements[index].text, statements.count > 1 ? index : nil)
        }
    }

    /// Whether every statement has its result.
    var isAnswered: Bool {
        if case .statements(let statements) = work { reply.rows.count == statements.count } else { true }
    }

    /// Makes it ready to be sent (again).
    func rewind() {
        steps = []
        nextStep = 0
        hasResultOfStep = false
        reply = Reply()
        failure = nil
        reusedStatements = []
        isExposedToCancel = false
        isCopying = false
        bytesCopied = 0
    }

    func finish(_ result: Result<Reply, any Error>) {
        guard phase != .done else { return }
        phase = .done
        continuation?.resume(with: result)
        continuation = nil
    }
}

// Unchecked, because it changes hands, which a closure for another thread cannot say. Its caller sets the continuation before
// that, and nothing else. A cancel goes by the inbox, too, and may come before it: then it only marks `isCancelled`, on the thread.
extension Request: @unchecked Sendable {}  // SAFETY: from the loop's locked inbox on, its thread alone touches it.
