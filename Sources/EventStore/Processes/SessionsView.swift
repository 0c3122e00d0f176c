/// Who was there when the sessions of processes were last asked for, and who is missing since when.
struct SessionsView {
    /// For so long a session must be missing before its process is taken for dead: one that was only cut off comes back.
    ///
    /// A process that has not seen the others for as long claims nothing under its key, and goes on with nothing that it has
    /// claimed: so none of them is at something that another has taken over.
    static let grace = Duration.seconds(2)

    private var present: Set<Int32> = []
    private var missing: [Int32: ContinuousClock.Instant] = [:]
    /// When this process's own session first saw the others, and when last.
    private var firstSeen: ContinuousClock.Instant?
    private var lastSeen: ContinuousClock.Instant?
    private var wasKnown = false

    /// The process has a new session.
    mutating func begin() {
        // Whoever was missing before has to be missed anew.
        present.formUnion(missing.keys)
        missing = [:]
        (firstSeen, lastSeen, wasKnown) = (nil, nil, false)
    }

    /// The process has no session any more.
    mutating func end() {
        (firstSeen, lastSeen, wasKnown) = (nil, nil, false)
    }

    /// Counts each time so that the grace is rather too long: who is there was so when it was asked for, and who is missing is so
    /// since the answer.
    ///
    /// - Returns: whether somebody is missing, or counts as dead, who was there before, or all of that is known now.
    mutating func note(
        _ keys: Set<Int32>,
        askedAt asked: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) -> Bool {
        if firstSeen == nil { firstSeen = asked }
        lastSeen = asked
        let gone = present.subtracting(keys)
        for key in gone { missing[key] = now }
        let left = missing.filter { !keys.contains($0.key) && asked - $0.value < Self.grace }
        let isOver = missing.keys.contains { left[$0] == nil && !keys.contains($0) }
        (present, missing) = (keys, left)
        let isKnown = living(at: now) != nil
        defer { wasKnown = isKnown }
        return !gone.isEmpty || isOver || isKnown && !wasKnown
    }

    /// Whether the others see this process living, and have for a while.
    func isCurrent(at now: ContinuousClock.Instant) -> Bool {
        guard let firstSeen, let lastSeen else { return false }
        return now - lastSeen < Self.grace && lastSeen - firstSeen >= Self.grace
    }

    /// Those that are there, or were moments ago; nil where that is not known well enough.
    func living(at now: ContinuousClock.Instant) -> [Int32]? {
        isCurrent(at: now) ? present.union(missing.keys).sorted() : nil
    }
}
