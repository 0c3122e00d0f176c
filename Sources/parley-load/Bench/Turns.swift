import Synchronization

/// Hands out so many turns, numbered from zero, to whoever asks.
final class Turns: Sendable {
    private let count: Int
    private let taken = Atomic<Int>(0)

    init(_ count: Int) {
        self.count = count
    }

    func next() -> Int? {
        let turn = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        return turn < count ? turn : nil
    }
}
