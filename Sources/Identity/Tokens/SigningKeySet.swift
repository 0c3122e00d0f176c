import Foundation

/// The keys whose tokens are good; of those that have begun to sign, the last one signs.
struct SigningKeySet: Sendable {
    struct Entry: Sendable {
        let key: SigningKey
        let activatesAt: Date
    }

    /// By the time at which they begin to sign.
    let entries: [Entry]
    private let first: Entry

    /// At least one, so that there is always one that signs.
    init(_ entry: Entry, _ others: [Entry] = []) {
        entries = ([entry] + others).sorted { $0.activatesAt < $1.activatesAt }
        first = entries.first ?? entry
    }

    var ids: Set<String> { Set(entries.map(\.key.id)) }

    func signing(at now: Date) -> SigningKey {
        (entries.last { $0.activatesAt <= now } ?? first).key
    }
}
