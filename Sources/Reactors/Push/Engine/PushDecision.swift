import Foundation
import ParleyWire
import ReadModels

/// What is to be done about a row of the outbox, by what is so at the moment of sending: the one place that decides it.
enum PushDecision: Sendable, Equatable {
    case send(PushNotification, as: Kind)
    /// What was to be told is told no more.
    case drop(Reason)

    enum Kind: String, Sendable {
        case alert, digest, badge, clear
    }

    enum Reason: String, Sendable {
        case notMember, muted, level, read, deleted, blocked, tooOld, quiet, noAddress
        /// The device takes no word of what was read elsewhere, or has just had one.
        case notCleared
        case nothing
    }

    /// Services that wake the app for nothing visible want that seldom.
    static let clearingPause: TimeInterval = 20 * 60
    /// A service keeps a notification for a device that is away for so long.
    private static let lifetime: TimeInterval = 86_400

    init(_ job: PushJob, _ facts: PushFacts, _ device: PushDevice, at now: Date) {
        guard let address = device.address else {
            self = .drop(.noAddress)
            return
        }
        let reason = job.pending > 0 ? Self.refusal(job, facts, at: now) : .nothing
        guard let reason else {
            self = Self.news(job, facts, device, address.platform, at: now)
            return
        }
        self = Self.clearing(job, facts, device, address.platform, at: now) ?? .drop(reason)
    }

    private static func refusal(_ job: PushJob, _ facts: PushFacts, at now: Date) -> Reason? {
        guard facts.isMember else { return .notMember }
        if let until = facts.mutedUntil, until > now { return .muted }
        let isMention = facts.message?.mentionsPerson == true
        if facts.level == .none || facts.level == .mentions && !isMention { return .level }
        guard job.seq > facts.readSeq, facts.unread > 0 else { return .read }
        if job.pending == 1 || facts.news == 0 {
            guard let message = facts.message, !message.isDeleted else { return .deleted }
            if message.isSenderBlocked { return .blocked }
            if facts.news == 0 { return .deleted }
        }
        return now.timeIntervalSince(job.newestAt) > PushJob.uselessAfter ? .tooOld : nil
    }

    private static func news(
        _ job: PushJob,
        _ facts: PushFacts,
        _ device: PushDevice,
        _ platform: PushPlatform,
        at now: Date
    ) -> PushDecision {
        if device.quietHours?.hold(now) == true {
            // A browser shows whatever comes, and takes the right away where nothing is shown.
            guard platform != .webPush else { return .drop(.quiet) }
            return .send(PushNotification(badgeOf: job, facts, at: now), as: .badge)
        }
        let isLate = now.timeIntervalSince(job.newestAt) > PushJob.lateAfter
        let texts = PushTexts(locale: device.locale)
        let news = facts.news < PushFacts.mostNews ? min(job.pending, facts.news) : job.pending
        let count = max(1, min(job.notified + news, facts.unread))
        let single = job.pending == 1 && !isLate ? facts.message : nil
        let notification = PushNotification(
            id: PushNotification.id(of: job, isLate ? .digest : .alert),
            kind: .alert,
            title: texts.title(facts, preview: device.preview, isSummary: single == nil),
            body: texts.body(single, count: count, preview: device.preview),
            badge: facts.badge,
            conversationID: job.conversation,
            messageID: job.message,
            seq: job.seq,
            senderID: single?.sender,
            expires: now.addingTimeInterval(lifetime)
        )
        return .send(notification, as: isLate ? .digest : .alert)
    }

    /// Nil where nothing is shown that was read, or taken back.
    private static func clearing(
        _ job: PushJob,
        _ facts: PushFacts,
        _ device: PushDevice,
        _ platform: PushPlatform,
        at now: Date
    ) -> PushDecision? {
        guard let shown = job.shownSeq else { return nil }
        let isTakenBack = job.seq == shown && facts.message?.isDeleted != false && facts.unread == 0
        guard shown <= facts.readSeq || isTakenBack || !facts.isMember else { return nil }
        switch platform {
        case .webPush: return .drop(.notCleared)
        case .apns:
            if let last = device.clearedAt, now.timeIntervalSince(last) < clearingPause { return .drop(.notCleared) }
        case .fcm: break
        }
        return .send(PushNotification(clearing: job, facts, at: now), as: .clear)
    }
}

extension PushNotification {
    fileprivate init(badgeOf job: PushJob, _ facts: PushFacts, at now: Date) {
        self.init(
            id: Self.id(of: job, .badge),
            kind: .badge,
            badge: facts.badge,
            conversationID: job.conversation,
            expires: now.addingTimeInterval(3_600)
        )
    }

    fileprivate init(clearing job: PushJob, _ facts: PushFacts, at now: Date) {
        self.init(
            id: Self.id(of: job, .clear),
            kind: .clear,
            badge: facts.badge,
            conversationID: job.conversation,
            seq: facts.readSeq,
            expires: now.addingTimeInterval(60)
        )
    }
}
