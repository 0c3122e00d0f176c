import Foundation
import Postgres

/// A row of the outbox that this process has claimed, and the device that it is for.
struct PushJob: Sendable {
    /// One notification for a conversation in this time, after the first.
    static let pause = Duration.seconds(10)
    /// Older than this, and a message gets no notification of its own any more.
    static let lateAfter: TimeInterval = 15 * 60
    /// Older than this, and nobody is notified at all.
    static let uselessAfter: TimeInterval = 7 * 86_400
    static let maxAttempts = 5

    let conversation: UUID
    let person: UUID
    let device: UUID
    let origin: String
    let message: UUID
    let newestAt: Date
    let fromSeq: Int64
    let seq: Int64
    let shownSeq: Int64?
    let pending: Int
    let notified: Int
    let attempts: Int

    init(
        conversation: UUID,
        person: UUID,
        device: UUID,
        origin: String,
        message: UUID,
        newestAt: Date,
        fromSeq: Int64,
        seq: Int64,
        shownSeq: Int64? = nil,
        pending: Int = 1,
        notified: Int = 0,
        attempts: Int = 0
    ) {
        self.conversation = conversation
        self.person = person
        self.device = device
        self.origin = origin
        self.message = message
        self.newestAt = newestAt
        self.fromSeq = fromSeq
        self.seq = seq
        self.shownSeq = shownSeq
        self.pending = pending
        self.notified = notified
        self.attempts = attempts
    }

    init(_ row: Row) throws {
        self.init(
            conversation: try row.decode("conversation_id"),
            person: try row.decode("person_id"),
            device: try row.decode("device_id"),
            origin: try row.decode("origin"),
            message: try row.decode("message_id"),
            newestAt: try row.decode("newest_at"),
            fromSeq: try row.decode("from_seq"),
            seq: try row.decode("seq"),
            shownSeq: try row.decode("shown_seq"),
            pending: try row.decode("pending"),
            notified: try row.decode("told"),
            attempts: try row.decode("attempts")
        )
    }

    /// How long to wait after a try that failed: 1, 4, 15, 60 seconds, half as much more or less.
    func backOff(_ random: Double = .random(in: 0.5...1.5)) -> Duration {
        let steps: [Double] = [1, 4, 15, 60]
        return .seconds(steps[min(max(attempts, 0), steps.count - 1)] * random)
    }
}
