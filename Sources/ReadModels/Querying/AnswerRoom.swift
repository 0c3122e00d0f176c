import Foundation
import ParleyWire
import Postgres

/// What is left of the bytes that one answer may take, in which everyone whom it names has a place beside its items, once.
struct AnswerRoom {
    private var rest: Int
    private var isEmpty = true
    private var known: [WireID: UserSummary]
    /// Everyone who has a place.
    private(set) var users: [WireID: UserSummary]

    /// - Parameters:
    ///   - bytes: About how many there are for items, and for people who have no place yet.
    ///   - known: Whom items may name.
    ///   - users: Who has a place already.
    init(_ bytes: Int, known: [WireID: UserSummary] = [:], users: [WireID: UserSummary] = [:]) {
        rest = bytes
        self.known = known
        self.users = users
    }

    /// Reads those whom items may name, before the items are taken.
    mutating func learn(_ people: Set<WireID>, on connection: PostgresConnection) async throws {
        let missing = Set(people.filter { known[$0] == nil && users[$0] == nil }.map(\.uuid))
        known.merge(try await UserQuery.summaries(of: missing, on: connection)) { first, _ in first }
    }

    /// Gives people a place, whether there is room or not.
    mutating func add(_ people: some Sequence<WireID>) {
        let (newcomers, bytes) = newcomers(among: people)
        rest -= bytes
        users.merge(newcomers) { first, _ in first }
    }

    /// Takes an item of about so many bytes, and those whom it names: the first one always.
    ///
    /// - Returns: false where it does not fit; then the answer ends before it.
    mutating func take(_ bytes: Int, naming people: some Sequence<WireID>) -> Bool {
        let (newcomers, theirs) = newcomers(among: people)
        guard isEmpty || bytes + theirs <= rest else { return false }
        isEmpty = false
        rest -= bytes + theirs
        users.merge(newcomers) { first, _ in first }
        return true
    }

    private func newcomers(among people: some Sequence<WireID>) -> (people: [WireID: UserSummary], bytes: Int) {
        var newcomers: [WireID: UserSummary] = [:]
        for person in people where users[person] == nil { newcomers[person] = known[person] }
        return (newcomers, newcomers.weight)
    }
}
