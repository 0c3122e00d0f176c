import Foundation

/// What becomes of messages, and what members make of their view of the group.
extension GroupPlanner {
    /// Given by a member, and not taken back.
    struct PlannedReaction: Equatable {
        let message: Int
        let person: PersonNumber
        let emoji: String
    }

    private static let emoji = ["👍", "❤️", "😂", "🎉", "👀"]
    private static let mostPins = 8
    /// Half of what is changed is among so many of the newest messages: clients have those on their screens.
    private static let recent = 15

    /// Whom a message mentions; drawn apart from what else is drawn, like all that is invented here.
    mutating func mentions(by sender: PersonNumber) -> [PersonNumber] {
        guard changes.chance(10) else { return [] }
        let others = members.filter { $0 != sender }
        let chosen = (0..<Int.random(in: 1...3, using: &changes)).compactMap { _ in
            others.randomElement(using: &changes)
        }
        return chosen.uniqued()
    }

    mutating func inventChanges() {
        if changes.chance(5), let message = presentMessage(), members.contains(sends[message].sender) {
            emit(.edit(message, to: editedText(of: message)))
        }
        if changes.chance(2), let message = presentMessage() { delete(message) }
        inventReactions()
        inventPins()
        if changes.chance(1), let person = members.randomElement(using: &changes) {
            let seconds = Double(Int.random(in: 0...1_000_000, using: &changes))
            // In the year 2100: no muting ends while it is looked at.
            emit(.mute(person, until: changes.chance(40) ? nil : Date(timeIntervalSince1970: 4_102_444_800 + seconds)))
        }
    }

    private mutating func inventReactions() {
        if changes.chance(15), let message = presentMessage(), let person = members.randomElement(using: &changes) {
            let emoji = Self.emoji.randomElement(using: &changes) ?? Self.emoji[0]
            let reaction = PlannedReaction(message: message, person: person, emoji: emoji)
            // Some give again what they have given: that changes nothing.
            if !reactions.contains(reaction) { reactions.append(reaction) }
            emit(.react(message, person, emoji))
        }
        if changes.chance(4), let place = reactions.indices.randomElement(using: &changes),
            members.contains(reactions[place].person)
        {
            let reaction = reactions.remove(at: place)
            emit(.unreact(reaction.message, reaction.person, reaction.emoji))
        }
    }

    private mutating func inventPins() {
        if changes.chance(1.5), pins.count < Self.mostPins, let message = presentMessage(), !pins.contains(message) {
            pins.append(message)
            emit(.pin(message))
        }
        if changes.chance(0.8), let place = pins.indices.randomElement(using: &changes) {
            emit(.unpin(pins.remove(at: place)))
        }
    }

    /// By its author or the owner; what it was given goes with it.
    private mutating func delete(_ message: Int) {
        guard let owner = members.first else { return }
        let sender = sends[message].sender
        emit(.delete(message, by: members.contains(sender) && changes.chance(70) ? sender : owner))
        deleted.insert(message)
        reactions.removeAll { $0.message == message }
        pins.removeAll { $0 == message }
    }

    /// Never what it said before.
    private mutating func editedText(of message: Int) -> String {
        edits += 1
        let text = sends[message].text
        return "\(text.unicodeScalars.count > 9_900 ? "" : text) (edit \(edits))"
    }

    /// A message that is not deleted.
    private mutating func presentMessage() -> Int? {
        guard !sends.isEmpty else { return nil }
        let first = changes.chance(50) ? max(sends.count - Self.recent, 0) : 0
        let message = Int.random(in: first..<sends.count, using: &changes)
        return deleted.contains(message) ? nil : message
    }
}
