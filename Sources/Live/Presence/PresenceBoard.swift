import Foundation
import ParleyWire

/// Who is there, as this process knows: by the streams that are open here, and by what other processes say.
///
/// It has no clock: whatever depends on the time is told it. Who is nowhere any more is forgotten once the grace is over.
struct PresenceBoard {
    /// Who has done nothing for so long is away, whatever streams are open.
    static let idleTime: Duration = .seconds(300)
    /// A person whose last stream ends is there for so long still: most come back within it, and nobody is told.
    static let grace: Duration = .seconds(30)
    /// What another process has said holds for so long, unless it says it again: it may have ended without a word.
    static let lifetime: Duration = .seconds(50)
    /// As it changes for those who watch; later ones win where a person is at several places.
    enum Status: UInt8, Comparable, Sendable {
        case offline, away, online

        static func < (one: Status, other: Status) -> Bool { one.rawValue < other.rawValue }
    }

    /// When things happen: by a clock that only runs on, and by that of the world, which others are shown.
    struct Moment: Sendable {
        let instant: ContinuousClock.Instant
        let date: Date

        static var now: Moment { Moment(instant: .now, date: Date()) }
    }

    private struct Person {
        /// Those that have a stream here, or had one within the grace.
        var sessions: [UUID: Session] = [:]
        /// What other processes say, by process.
        var elsewhere: [UUID: Said] = [:]
        var status = Status.offline
        /// What this process has said to the others.
        var own = Status.offline
        /// Since when nobody says that the person is there; nil while somebody does.
        var goneSince: ContinuousClock.Instant?
        var lastSeen: Date?
        /// When the person is looked at again at the latest; nil for never.
        var due: ContinuousClock.Instant?
    }

    /// What another process has said.
    private struct Said {
        let status: Status
        let at: Date
        let until: ContinuousClock.Instant
    }

    private struct Session {
        var streams = 0
        /// What the client says, which holds until it says otherwise.
        var word: Status?
        var activeAt: ContinuousClock.Instant
        var closedAt: ContinuousClock.Instant?
    }

    private var people: [UUID: Person] = [:]
    /// Whom to look at again, by the quarter of a second.
    private var agenda: [Int64: Set<UUID>] = [:]
    /// The first of them that has not come yet.
    private var agendaBegins: Int64 = 0
    private let origin: ContinuousClock.Instant

    /// Whose status has changed since it was taken, and when somebody was last seen who is not there now.
    private(set) var changed: [UUID: Date?] = [:]
    /// Of whom this process says another thing than it has told the others.
    private(set) var ownChanged: Set<UUID> = []
    /// Those of them who have said goodbye, and are not waited for.
    private var goodbyes: Set<UUID> = []
    /// When people were last seen who are no longer here, or at a process that has fallen silent.
    private(set) var seen: [UUID: Date] = [:]

    init(at now: ContinuousClock.Instant = .now) {
        origin = now
    }

    // MARK: What is asked

    func status(of person: UUID) -> Status { people[person]?.status ?? .offline }

    /// What this process says of a person.
    func own(_ person: UUID) -> Status { people[person]?.own ?? .offline }

    /// Whether the session has a stream here.
    func isHere(_ session: UUID, of person: UUID) -> Bool {
        people[person]?.sessions[session].map { $0.streams > 0 } ?? false
    }

    func isElsewhere(_ person: UUID) -> Bool { people[person]?.elsewhere.isEmpty == false }

    /// All of whom this process says that they are there.
    var here: some Sequence<UUID> { people.lazy.filter { $0.value.own > .offline }.map(\.key) }

    mutating func takeChanged() -> [UUID: Date?] {
        defer { changed = [:] }
        return changed
    }

    /// What this process now says of people, and of whom that others need not wait.
    mutating func takeOwnChanged() -> [UUID: (status: Status, isGoodbye: Bool)] {
        defer { (ownChanged, goodbyes) = ([], []) }
        return Dictionary(ownChanged.map { ($0, (own($0), goodbyes.contains($0))) }) { $1 }
    }

    mutating func takeSeen() -> [UUID: Date] {
        defer { seen = [:] }
        return seen
    }

    // MARK: What happens

    mutating func opened(_ session: UUID, of person: UUID, at now: Moment) {
        change(person, at: now) { found in
            var opened = found.sessions[session] ?? Session(activeAt: now.instant)
            opened.streams += 1
            opened.activeAt = now.instant
            opened.closedAt = nil
            found.sessions[session] = opened
        }
    }

    mutating func closed(_ session: UUID, of person: UUID, at now: Moment) {
        guard var left = people[person]?.sessions[session], left.streams > 0 else { return }
        left.streams -= 1
        if left.streams == 0 { left.closedAt = now.instant }
        change(person, at: now) { $0.sessions[session] = left }
    }

    /// Nobody is waited for who has to sign in again; but for those of whom other sessions are known.
    mutating func revoked(_ session: UUID, of person: UUID, at now: Moment) {
        guard let sessions = people[person]?.sessions, sessions[session] != nil else { return }
        let isLast = sessions.count == 1
        change(person, at: now, waits: !isLast) { $0.sessions[session] = nil }
        guard isLast else { return }
        ownChanged.insert(person)
        goodbyes.insert(person)
    }

    /// Somebody has done something.
    mutating func isActive(_ session: UUID, of person: UUID, at now: Moment) {
        guard var active = people[person]?.sessions[session] else { return }
        let wasIdle = now.instant - active.activeAt >= Self.idleTime
        active.activeAt = now.instant
        // The rest can wait until it is looked at anyway.
        guard wasIdle else {
            people[person]?.sessions[session] = active
            return
        }
        change(person, at: now) { $0.sessions[session] = active }
    }

    /// A client says what holds until it says otherwise; that somebody is there also counts as something done.
    mutating func says(_ word: Status, _ session: UUID, of person: UUID, at now: Moment) {
        guard var saying = people[person]?.sessions[session] else { return }
        saying.word = word
        if word == .online { saying.activeAt = now.instant }
        // Who says goodbye is not waited for.
        change(person, at: now, waits: word != .offline) { $0.sessions[session] = saying }
        guard word == .offline, own(person) == .offline else { return }
        // Nor elsewhere, where it may be known already that the last stream has ended.
        ownChanged.insert(person)
        goodbyes.insert(person)
    }

    /// Another process says, or says again, whether a person is there.
    ///
    /// - Parameter waits: false where the person has said goodbye there.
    mutating func received(
        _ status: Status,
        of person: UUID,
        from process: UUID,
        at now: Moment,
        waits: Bool = true
    ) {
        let isKnown = people[person].map { !waits || $0.elsewhere[process] != nil } ?? false
        guard status > .offline || isKnown else { return }
        change(person, at: now, waits: waits) { found in
            let said = Said(status: status, at: now.date, until: now.instant + Self.lifetime)
            found.elsewhere[process] = status > .offline ? said : nil
        }
    }

    /// Looks at everybody of whom something is over.
    mutating func advance(to now: Moment) {
        let present = quarter(now.instant).begun
        guard agendaBegins <= present else { return }
        // A process that stood still for long has few people and many quarters to look at.
        let isLong = present - agendaBegins > 10_000
        let due = isLong ? agenda.keys.filter { $0 <= present }.sorted() : Array(agendaBegins...present)
        agendaBegins = present + 1
        for quarter in due {
            for person in agenda.removeValue(forKey: quarter) ?? [] {
                people[person]?.due = nil
                change(person, at: now) { _ in }
            }
        }
    }

    // MARK: What follows

    /// - Parameter waits: whether somebody who is gone may come back within the grace.
    private mutating func change(
        _ person: UUID,
        at now: Moment,
        waits: Bool = true,
        _ body: (inout Person) -> Void
    ) {
        var found = people[person] ?? Person()
        body(&found)
        found.sessions = found.sessions.filter { _, session in
            session.closedAt.map { now.instant - $0 < Self.grace } ?? true
        }
        let silent = found.elsewhere.filter { $0.value.until <= now.instant }
        for process in silent.keys { found.elsewhere[process] = nil }
        let own = found.sessions.values.map { Self.status(of: $0, at: now.instant) }.max() ?? .offline
        // Of a process that died without a word it is known until when it spoke.
        let lastSeen = found.own > .offline && own == .offline ? now.date : silent.values.map(\.at).max()
        if let lastSeen { seen[person] = lastSeen }
        if found.own != own { ownChanged.insert(person) }
        if own > .offline { goodbyes.remove(person) }
        found.own = own
        let before = found.status
        let status = max(own, found.elsewhere.values.map(\.status).max() ?? .offline)
        if status > .offline {
            (found.goneSince, found.lastSeen) = (nil, nil)
            found.status = status
        } else {
            if found.goneSince == nil, before > .offline {
                (found.goneSince, found.lastSeen) = (now.instant, lastSeen ?? now.date)
            }
            let isOver = found.goneSince.map { now.instant - $0 >= Self.grace } ?? true
            if isOver || !waits { found.status = .offline }
        }
        if found.status != before { changed.updateValue(found.lastSeen, forKey: person) }
        plan(&found, person, at: now.instant)
        let isNowhere = found.sessions.isEmpty && found.elsewhere.isEmpty && found.status == .offline
        people[person] = isNowhere ? nil : found
    }

    private static func status(of session: Session, at now: ContinuousClock.Instant) -> Status {
        guard session.streams > 0 else { return .offline }
        let status: Status = now - session.activeAt < idleTime ? .online : .away
        return min(status, session.word ?? .online)
    }

    /// When the person changes without anything happening.
    private mutating func plan(_ found: inout Person, _ person: UUID, at now: ContinuousClock.Instant) {
        var times = found.elsewhere.values.map(\.until)
        for session in found.sessions.values {
            if let closedAt = session.closedAt {
                times.append(closedAt + Self.grace)
            } else if Self.status(of: session, at: now) == .online {
                times.append(session.activeAt + Self.idleTime)
            }
        }
        if let goneSince = found.goneSince, found.status > .offline { times.append(goneSince + Self.grace) }
        guard let next = times.min() else { return }
        if let due = found.due, due <= next { return }
        found.due = next
        agenda[max(quarter(next).whole, agendaBegins), default: []].insert(person)
    }

    /// The quarter of a second that has begun at an instant, and the first that has not begun before it.
    private func quarter(_ instant: ContinuousClock.Instant) -> (begun: Int64, whole: Int64) {
        let (seconds, attoseconds) = (instant - origin).components
        let length: Int64 = 250_000_000_000_000_000
        let begun = seconds * 4 + attoseconds / length
        return (begun, attoseconds % length == 0 ? begun : begun + 1)
    }
}
