import Synchronization

/// The breakers of all services, by what fails together.
final class PushBreakers: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Anybody may name a push service of one's own: of more than these the closed ones are forgotten.
    private static let limit = 1_000

    private let state = Mutex<[String: CircuitBreaker]>([:])

    /// Changes a breaker.
    ///
    /// - Returns: until when it is open after that, and why, where that is not what it was.
    @discardableResult
    func change(_ origin: String, at now: Instant, _ body: (inout CircuitBreaker) -> Void) -> Change? {
        state.withLock { breakers in
            if breakers[origin] == nil, breakers.count >= Self.limit {
                breakers = breakers.filter { !$0.value.isClosed }
            }
            var breaker = breakers[origin] ?? CircuitBreaker()
            let (wasClosed, before) = (breaker.isClosed, breaker.opens(at: now))
            body(&breaker)
            breakers[origin] = breaker
            let after = breaker.opens(at: now)
            guard breaker.isClosed != wasClosed || after != before else { return nil }
            return Change(
                origin: origin,
                pause: breaker.isClosed ? nil : after.map { $0 - now },
                reason: breaker.reason
            )
        }
    }

    struct Change: Sendable {
        let origin: String
        /// Nil where it is closed again.
        let pause: Duration?
        let reason: String
    }

    func admits(_ origin: String, at now: Instant) -> Bool {
        var isAdmitted = true
        change(origin, at: now) { isAdmitted = $0.admits(at: now) }
        return isAdmitted
    }

    /// How long until a service is tried again; nil where it is not left alone.
    func pause(_ origin: String, at now: Instant) -> Duration? {
        state.withLock { $0[origin]?.opens(at: now).map { $0 - now } }
    }

    /// The services that nothing is sent to now.
    func open(at now: Instant) -> [String] {
        state.withLock { breakers in breakers.filter { $0.value.opens(at: now) != nil }.map(\.key) }
    }

    /// How many are not as they should be, probes included.
    var openCount: Int { state.withLock { $0.values.count { !$0.isClosed } } }
}
