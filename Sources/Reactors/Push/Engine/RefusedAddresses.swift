import Foundation

/// Whose addresses a service has refused among the people who were sent something last.
///
/// Many people's addresses are not refused by coincidence: then the fault is ours. One person's may be: everybody can register
/// what is no address, and must not have others wait for that.
struct RefusedAddresses: Sendable {
    /// Fewer refusals than this say nothing.
    static let fewest = 5
    private static let people = 10

    /// How often each was refused since the last time that it was not; the newest last.
    private var newest: [(person: UUID, refusals: Int)] = []

    mutating func note(_ person: UUID, isRefused: Bool) {
        let before = newest.first { $0.person == person }?.refusals ?? 0
        newest.removeAll { $0.person == person }
        newest.append((person, isRefused ? min(before + 1, Self.fewest) : 0))
        if newest.count > Self.people { newest.removeFirst() }
    }

    /// Whether half of the people are refused, often enough.
    var isFaultOfOurs: Bool {
        let refused = newest.filter { $0.refusals > 0 }
        return refused.reduce(0) { $0 + $1.refusals } >= Self.fewest && refused.count * 2 >= newest.count
    }
}
