import Synchronization

/// Something that is remembered of the log, for as long as its epoch lasts: dropped by the first who asks in a new one.
package final class EpochMemory<Memory: Sendable>: Sendable {
    private struct State {
        var generation: Int
        var memory: Memory
    }

    private let epoch: LogEpoch?
    private let fresh: @Sendable () -> Memory
    private let state: Mutex<State>

    /// - Parameter epoch: nil for a reader that ends before it could matter.
    package init(_ epoch: LogEpoch?, fresh: @escaping @Sendable () -> Memory) {
        self.epoch = epoch
        self.fresh = fresh
        state = Mutex(State(generation: epoch?.generation ?? 0, memory: fresh()))
    }

    /// The generation to read in: what was read is remembered by ``withLock(of:_:)``, if the epoch has not ended meanwhile.
    package var generation: Int { epoch?.generation ?? 0 }

    package func withLock<Result: Sendable>(_ body: (inout Memory) -> Result) -> Result {
        state.withLock { state in
            let generation = generation
            if state.generation < generation { state = State(generation: generation, memory: fresh()) }
            return body(&state.memory)
        }
    }

    /// Remembers what was read in a generation, unless that is over.
    package func withLock(of generation: Int, _ body: (inout Memory) -> Void) {
        withLock { memory in
            if generation == self.generation { body(&memory) }
        }
    }
}
