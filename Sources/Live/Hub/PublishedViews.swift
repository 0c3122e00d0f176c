import DequeModule
import Foundation

/// Whose views were published last beside the log: what was rendered before may show them as they were, and must not stay
/// what was published last.
struct PublishedViews {
    private static let limit = 1_000

    /// How many there were.
    private(set) var count = 0
    private var last: Deque<(person: UUID, conversation: UUID)> = []

    mutating func add(_ person: UUID, in conversation: UUID) {
        count += 1
        last.append((person, conversation))
        if last.count > Self.limit { last.removeFirst() }
    }

    /// To whom a view of a conversation was published since the first so many.
    func people(in conversation: UUID, since known: Int) -> Set<UUID> {
        guard known < count else { return [] }
        return Set(last.suffix(count - known).filter { $0.conversation == conversation }.map(\.person))
    }
}
