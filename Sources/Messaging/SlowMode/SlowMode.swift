import Foundation

/// How often each member of a group may send, and who has sent when: only while it is on.
package struct SlowMode: Sendable, Equatable, Codable {
    package let seconds: Int
    /// When a member may not have waited long enough yet. Owners and admins are in no hurry.
    private var sentAt: [UUID: Date] = [:]

    init(seconds: Int) {
        self.seconds = seconds
    }

    var count: Int { sentAt.count }

    /// How long a member still has to wait, in whole seconds; nil for not at all.
    ///
    /// Never longer than the limit itself: the clocks of several processes may differ.
    func wait(of person: UUID, at now: Date) -> Int? {
        guard let last = sentAt[person] else { return nil }
        let end = last.addingTimeInterval(TimeInterval(seconds))
        guard !end.isReached(at: now) else { return nil }
        return min(Int((end.timeIntervalSince(now) - Date.halfMillisecond).rounded(.up)), seconds)
    }

    /// - Parameter members: how many there are: of those who have left or waited long enough no more than as many are kept.
    mutating func note(_ person: UUID, at time: Date, members: Int) {
        sentAt[person] = time
        guard sentAt.count > 2 * members else { return }
        sentAt = sentAt.filter { wait(of: $0.key, at: time) != nil }
    }

    /// The same members, under another limit.
    func with(seconds: Int) -> SlowMode {
        var changed = SlowMode(seconds: seconds)
        changed.sentAt = sentAt
        return changed
    }
}
