import Foundation
import ParleyWire

/// A message as the journal says it must be.
struct ExpectedMessage: Sendable, Equatable {
    struct Reaction: Sendable, Equatable {
        let emoji: String
        let person: WireID
    }

    let id: WireID
    let seq: Int64
    let sender: WireID
    let replyTo: WireID?
    let mentions: [WireID]
    let picture: WireID?
    let clientTimestamp: Date
    let timestamp: Date
    /// All that it has said, from the beginning.
    private(set) var versions: [String]
    private(set) var deletedBy: WireID?
    /// In the order in which they were given.
    private(set) var reactions: [Reaction] = []
    private(set) var pinnedBy: WireID?

    init(
        id: WireID,
        seq: Int64,
        sender: WireID,
        text: String,
        replyTo: WireID?,
        mentions: [WireID] = [],
        picture: WireID? = nil,
        clientTimestamp: Date,
        timestamp: Date
    ) {
        self.id = id
        self.seq = seq
        self.sender = sender
        self.replyTo = replyTo
        self.mentions = mentions
        self.picture = picture
        self.clientTimestamp = clientTimestamp
        self.timestamp = timestamp
        versions = [text]
    }

    var isDeleted: Bool { deletedBy != nil }
    var isEdited: Bool { versions.count > 1 && !isDeleted }

    /// What it says now.
    var text: String? { isDeleted ? nil : versions.last }

    mutating func edit(_ text: String) { versions.append(text) }

    mutating func delete(by person: WireID) {
        deletedBy = person
        reactions = []
        pinnedBy = nil
    }

    mutating func react(_ reaction: Reaction) {
        if !reactions.contains(reaction) { reactions.append(reaction) }
    }

    mutating func unreact(_ reaction: Reaction) { reactions.removeAll { $0 == reaction } }

    mutating func pin(by person: WireID?) { pinnedBy = person }

    /// Whether a stream may have brought it with these words, at whatever time.
    func hasSaid(_ text: String?) -> Bool {
        guard let text else { return isDeleted }
        return versions.contains { $0.isIdentical(to: text) }
    }

    /// What a reader is shown of the reactions.
    func tally(for reader: WireID) -> [ParleyWire.Reaction] {
        reactions.map(\.emoji).uniqued().map { emoji in
            let people = reactions.filter { $0.emoji == emoji }.map(\.person)
            return ParleyWire.Reaction(
                emoji: emoji,
                count: people.count,
                mine: people.contains(reader),
                userIds: Array(people.prefix(50))
            )
        }
    }
}
