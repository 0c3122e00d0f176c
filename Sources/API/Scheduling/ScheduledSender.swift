package import Attachments
import CoreMetrics
import Edge
package import EventStore
import Foundation
package import Identity
import Live
import Messaging
import ParleyWire
import ReadModels

/// Sends what people have scheduled, once its time has come: in their name, by the ordinary command, with the rights that they
/// have then. The id is the message's, so that whatever is sent again is found to be sent.
package struct ScheduledSender: Sendable {
    /// Claimed at once; what several processes share the work by.
    private static let batch = 50
    /// Conversations that are written to at once.
    private static let width = 8
    /// Tries, of which the last ones are five minutes apart; some eight hours.
    static let maxAttempts = 100
    private static let longestPause: TimeInterval = 300
    private static let mostCounted = 10_000

    let commands: ConversationCommands
    let schedule: ScheduledMessages
    let files: AttachedFiles

    package init(eventStore: EventStore, identity: Identity, clock: CommandClock, attachments: Attachments) {
        commands = ConversationCommands(eventStore: eventStore, identity: identity, clock: clock)
        files = AttachedFiles(attachments: attachments, commands: commands)
        schedule = ScheduledMessages(eventStore)
    }

    /// Has `wake` called whenever another process is gone that may have had something to send, until cancelled.
    func followOthers(_ wake: () -> Void) async {
        await commands.eventStore.sessions.follow { living in
            // At the first sign, too: there is what it had accepted, and not claimed yet.
            defer { wake() }
            try await schedule.giveBack(exceptOf: living, at: commands.clock.moment())
        }
    }

    /// Sends all that is due, as far as no other process is at it.
    ///
    /// - Returns: when there is something to do again; nil where nothing waits.
    func sendDue(unless isOver: @Sendable () -> Bool = { false }) async throws -> Date? {
        while true {
            let now = commands.clock.moment()
            let outlook = try await schedule.outlook(at: now, countingUpTo: Self.mostCounted)
            SchedulingMetrics.waiting.record(outlook.waiting)
            guard outlook.isDue, !isOver() else { return outlook.nextDue }
            let began = ContinuousClock.now
            let claims = try await schedule.claimDue(at: now, limit: Self.batch)
            guard !claims.isEmpty else { return outlook.nextDue }
            try await send(claims, claimedAt: began)
        }
    }

    /// What is for one conversation in its order, and several conversations at once.
    private func send(_ claims: [ScheduledMessages.Claim], claimedAt began: ContinuousClock.Instant) async throws {
        let closed = try await commands.identity.deactivated(among: Array(Set(claims.map(\.message.author))))
        var lines = Array(Dictionary(grouping: claims, by: \.message.conversation).values)[...]
        try await withThrowingTaskGroup(of: Void.self) { group in
            func start() {
                guard let line = lines.popFirst() else { return }
                group.addTask {
                    for claim in line {
                        // What comes too late may be another's by now; it is claimed again.
                        guard ContinuousClock.now - began < .seconds(ScheduledMessages.promptness) else { return }
                        try await send(claim, isClosed: closed.contains(claim.message.author))
                    }
                }
            }
            for _ in 0..<Self.width { start() }
            while try await group.next() != nil { start() }
        }
    }

    private func send(_ claim: ScheduledMessages.Claim, isClosed: Bool) async throws {
        let message = claim.message
        do {
            // Nobody is left who could have said it, or what it was is not to be read.
            guard let content = message.content else { throw CommandError.unknownActor }
            if isClosed { throw HTTPProblem(.forbidden, "The account is deactivated.") }
            try await send(content, of: message)
        } catch {
            return try await failOrPostpone(claim, after: error)
        }
        SchedulingMetrics.sent.increment()
        let lateness = max(0, commands.clock.moment().timeIntervalSince(message.sendAt))
        SchedulingMetrics.lateness.recordNanoseconds(Int64(lateness * 1e9))
        _ = try await schedule.remove(claim)
    }

    private func send(_ content: ScheduledSend.Content, of message: ScheduledSend) async throws {
        let fields = SendMessageFields(content)
        let (author, conversation) = (message.author, message.conversation)
        let replyTo = try await commands.replyTo(fields.replyToID, in: conversation, for: author)
        let files = try await files.claim(fields.attachmentIDs, by: author, for: message.id, in: conversation)
        let handled = try await commands.send(
            .send(fields.command(message.id, by: author, replyTo: replyTo, files: files, at: commands.clock.moment())),
            as: [message.id],
            to: conversation,
            by: author,
            // The schedule, which has the message's id.
            causationID: message.id,
            content: fields.content
        )
        guard case .messageSent = handled.events.first?.conversationEvent else { throw CommandError.idConflict }
    }

    private func failOrPostpone(_ claim: ScheduledMessages.Claim, after error: any Error) async throws {
        let problem = HTTPProblem(error)
        let now = commands.clock.moment()
        // A process that is gone had begun to send it: what is said of it is not said before that is over.
        if claim.mayBeSentByOthers { return try await schedule.postpone(claim, until: now, isUndone: false) }
        guard problem.code.isRetryable, claim.attempts < Self.maxAttempts else {
            SchedulingMetrics.failed.increment()
            return try await schedule.fail(claim, for: problem.code.rawValue, at: now)
        }
        SchedulingMetrics.postponed.increment()
        var pause = Self.pause(after: claim.attempts)
        var isUndone = (error as? CommandError)?.leavesNothingUnderWay ?? false
        if case .tooSoon(let seconds) = error as? ConversationRejection {
            (pause, isUndone) = (TimeInterval(seconds), true)
        }
        try await schedule.postpone(claim, until: now.addingTimeInterval(pause), isUndone: isUndone)
    }

    /// Doubles from a second to five minutes.
    static func pause(after attempts: Int) -> TimeInterval {
        min(pow(2, Double(min(max(attempts - 1, 0), 20))), longestPause)
    }
}

extension CommandError {
    /// Whether it is certain that nothing happened, and that nothing will.
    fileprivate var leavesNothingUnderWay: Bool {
        switch self {
        case .overloaded, .loading, .unknownEvent, .formatNotOpen, .idConflict, .unknownActor: true
        case .unavailable: false
        }
    }
}
