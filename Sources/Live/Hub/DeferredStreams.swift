/// The streams with something to write that waits for company: another event, or the second turn of the clock.
struct DeferredStreams {
    private var recent: Set<Subscription> = []
    private var older: Set<Subscription> = []

    mutating func insert(_ subscription: Subscription) {
        recent.insert(subscription)
    }

    /// Called at each turn of the clock.
    ///
    /// - Returns: those that have waited for a whole turn at least, some of which may have written everything since.
    mutating func takeOldest() -> Set<Subscription> {
        defer {
            older = recent
            recent = []
        }
        return older
    }
}
