import EventSourcing

/// What a lane remembers of the log between rounds. Confined to the lane's task; all of it may be forgotten.
struct LaneMemory {
    /// Rounds for which an aggregate is decided under lock after another process was met there.
    private static let caution = 16
    /// More aggregates than this are not remembered as contended: they are found to be so again.
    private static let contendedLimit = 10_000

    var heads = KnownHeads()
    /// The epoch of the connection: all that is remembered is of it.
    private(set) var generation = 0
    private var aggregates = TwoGenerationCache<AggregateKey, any AnyAggregate>(capacity: 400_000)
    private var contended: [AggregateKey: Int] = [:]

    /// Goes on over a new connection: drops what is of another epoch, and with the old connection where partitions end.
    mutating func begin(_ generation: Int) {
        heads.forget()
        guard generation != self.generation else { return }
        self.generation = generation
        aggregates.removeAll()
        contended = [:]
    }

    /// The commands' aggregates: those that are remembered, and new ones at their beginning for the others.
    mutating func recall(
        _ commands: [PendingCommand]
    ) -> (known: [AggregateKey: any AnyAggregate], new: [AggregateKey: any AnyAggregate]) {
        var known: [AggregateKey: any AnyAggregate] = [:]
        var new: [AggregateKey: any AnyAggregate] = [:]
        for command in commands where known[command.aggregate] == nil && new[command.aggregate] == nil {
            if let aggregate = aggregates.value(for: command.aggregate) {
                known[command.aggregate] = aggregate
            } else {
                new[command.aggregate] = command.makeAggregate()
            }
        }
        return (known, new)
    }

    mutating func insert(_ aggregate: any AnyAggregate, for key: AggregateKey) {
        aggregates.insert(aggregate, for: key, weight: aggregate.weight)
    }

    mutating func remove(_ key: AggregateKey) {
        aggregates.remove(key)
    }

    /// Whether another process writes to the aggregate, too, so that deciding on what is remembered is likely in vain.
    func isContended(_ key: AggregateKey) -> Bool {
        contended[key] != nil
    }

    /// Takes note of what became of a round.
    ///
    /// - Parameter isGuarded: whether the round was under the partitions' locks.
    mutating func learn(_ resolution: Resolution, isGuarded: Bool) {
        let before = heads
        for event in resolution.recorded { heads.learn(event.position, in: event.partition) }
        for current in resolution.current {
            let (key, aggregate) = (current.key, current.aggregate)
            aggregate.commit(versions: current.versions, position: current.position)
            if isGuarded {
                aggregate.streak = heads.streak(of: aggregate.partition)
            } else if current.isConfirmed {
                // The log may have been asked before this round's append: a streak that began with it shows nothing.
                aggregate.streak = before.streak(of: aggregate.partition)
            }
            insert(aggregate, for: key)
            guard let rounds = contended[key] else { continue }
            contended[key] = rounds > 1 ? rounds - 1 : nil
        }
        for (aggregate, key, isContended) in resolution.behind {
            aggregate.discard()
            guard isContended else { continue }
            // Met again although it is decided under the lock: what is remembered is of no use.
            if isGuarded { remove(key) }
            if contended.count >= Self.contendedLimit { contended = [:] }
            contended[key] = Self.caution
        }
    }
}
