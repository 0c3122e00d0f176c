import Foundation

/// Leaves a service alone that takes nothing, and tries it with one notification now and then.
///
/// It has no clock: what depends on the time is told it.
struct CircuitBreaker: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// So many failures one after the other open it.
    static let failures = 4
    private static let shortestPause = Duration.seconds(5)
    private static let longestPause = Duration.seconds(60)
    /// A service may ask for more.
    private static let longestAsked = Duration.seconds(3_600)
    /// Who tries is given so long to answer.
    private static let probeTime = Duration.seconds(20)

    private enum State {
        case closed
        case open(until: Instant)
        case probing(until: Instant)
    }

    private var state = State.closed
    private var inRow = 0
    private var openings = 0
    private var refused = RefusedAddresses()
    /// Whose devices the service says get too much.
    private var busy = RefusedAddresses()
    /// Whether it was opened since that was said of many people's.
    private var isThrottled = false
    private(set) var reason = ""

    init() {}

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// When the next try may be; nil while all may be sent.
    func opens(at now: Instant) -> Instant? {
        switch state {
        case .closed: nil
        case .open(let until), .probing(let until): until > now ? until : nil
        }
    }

    /// Whether one more notification may be sent; of those that wait for an open breaker one is the probe.
    mutating func admits(at now: Instant) -> Bool {
        switch state {
        case .closed: return true
        case .open(let until), .probing(let until):
            guard until <= now else { return false }
            state = .probing(until: now + Self.probeTime)
            return true
        }
    }

    /// The service answers, whatever it says of the one notification and the person's address.
    mutating func answered(for person: UUID, refusing isRefused: Bool = false, at now: Instant) {
        busy.note(person, isRefused: false)
        noteAnswer(for: person, refusing: isRefused, at: now)
    }

    /// The service says that a device gets too much: where it says so of many people's, it means itself.
    mutating func throttled(for person: UUID, pause: Duration, _ reason: String, at now: Instant) {
        busy.note(person, isRefused: true)
        guard busy.isFaultOfOurs || isThrottled && !isClosed else {
            return noteAnswer(for: person, refusing: false, at: now)
        }
        busy = RefusedAddresses()
        isThrottled = true
        open(for: pause, reason, at: now)
    }

    private mutating func noteAnswer(for person: UUID, refusing isRefused: Bool, at now: Instant) {
        refused.note(person, isRefused: isRefused)
        if refused.isFaultOfOurs {
            refused = RefusedAddresses()
            return open(for: Self.longestPause, "many addresses are refused", at: now)
        }
        guard !isRefused || isClosed else { return }
        inRow = 0
        if !isRefused { (state, openings, reason, isThrottled) = (.closed, 0, "", false) }
    }

    mutating func failed(_ reason: String, at now: Instant) {
        // Sent before it was opened: those fail together, and say once what was known then.
        guard !isOpen(at: now) else { return }
        inRow += 1
        if !isClosed || inRow >= Self.failures { open(for: pause, reason, at: now) }
    }

    /// The service asks to be left alone, or does not believe who we are.
    mutating func open(for pause: Duration, _ reason: String, at now: Instant) {
        if !isOpen(at: now) { openings += 1 }
        inRow = 0
        self.reason = reason
        state = .open(until: now + min(max(pause, .seconds(1)), Self.longestAsked))
    }

    private func isOpen(at now: Instant) -> Bool {
        if case .open(let until) = state { until > now } else { false }
    }

    private var pause: Duration {
        min(Self.longestPause, Self.shortestPause * (1 << min(openings, 10)))
    }
}
