import Synchronization

/// Counts answers for whoever shows progress.
final class LoadMeter: Sendable {
    private let answers = Atomic<Int>(0)

    var count: Int { answers.load(ordering: .relaxed) }

    func add() { answers.wrappingAdd(1, ordering: .relaxed) }
}
