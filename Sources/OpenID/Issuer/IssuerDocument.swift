import Foundation

/// What an issuer publishes, kept for a while: asked for once, by however many wait for it.
///
/// Where the issuer cannot be asked then, what is known goes on to count for a day: its outage is none of ours.
actor IssuerDocument<Value: Sendable> {
    struct Fetched: Sendable {
        let value: Value
        /// How long the issuer says that it holds.
        let lifetime: TimeInterval?
    }

    typealias Fetch = @Sendable () async throws(OpenIDError) -> Fetched

    private struct Known {
        let value: Value
        let freshUntil: Date
        let goodUntil: Date
    }

    /// How long what is known goes on to count after its time.
    private static var grace: TimeInterval { 86_400 }

    /// Whatever the issuer says of how long it holds.
    private let lifetimes: ClosedRange<TimeInterval>
    private let fetch: Fetch
    private let now: @Sendable () -> Date
    private var known: Known?
    private var underWay: Task<Result<Value, OpenIDError>, Never>?
    /// Until then nobody asks again, since that has just failed.
    private var pauseUntil = Date.distantPast
    /// Until then nobody asks again for something newer.
    private var newerFrom = Date.distantPast

    init(
        lifetimes: ClosedRange<TimeInterval>,
        now: @escaping @Sendable () -> Date,
        fetch: @escaping Fetch
    ) {
        self.lifetimes = lifetimes
        self.now = now
        self.fetch = fetch
    }

    /// - Throws: `unavailable` where it was never asked for with success, or too long ago.
    func value() async throws(OpenIDError) -> Value {
        let now = now()
        if let known, now < known.freshUntil { return known.value }
        if let known, now < known.goodUntil {
            guard now >= pauseUntil else { return known.value }
            do { return try await load() } catch { return known.value }
        }
        guard now >= pauseUntil else { throw .unavailable }
        return try await load()
    }

    /// Asks again, for something that what is known does not have; nil where that was done within the last minute, so that
    /// whoever names what there is not makes us ask no more than that.
    func newer() async throws(OpenIDError) -> Value? {
        let now = now()
        guard now >= newerFrom else { return nil }
        newerFrom = now.addingTimeInterval(60)
        return try await load()
    }

    private func load() async throws(OpenIDError) -> Value {
        // Not a child of the first who waits: others wait for it when that one has left. The time that it may take is
        // bounded by whoever fetches.
        let task = underWay ?? Task { await self.fetched() }
        underWay = task
        return try await task.value.get()
    }

    private func fetched() async -> Result<Value, OpenIDError> {
        defer { underWay = nil }
        do {
            let fetched = try await fetch()
            let lifetime = min(max(fetched.lifetime ?? 0, lifetimes.lowerBound), lifetimes.upperBound)
            let freshUntil = now().addingTimeInterval(lifetime)
            known = Known(
                value: fetched.value,
                freshUntil: freshUntil,
                goodUntil: freshUntil.addingTimeInterval(Self.grace)
            )
            pauseUntil = .distantPast
            return .success(fetched.value)
        } catch {
            pauseUntil = now().addingTimeInterval(known == nil ? 5 : 60)
            return .failure(error)
        }
    }
}
