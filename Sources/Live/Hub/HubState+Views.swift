import Foundation

extension HubState {
    /// Whether a person was told something of the own view of a conversation since a moment, or may have been: marks and
    /// views, another draft, or a message, which takes the conversation out of the archive and back into the list.
    func hasToldView(
        of person: UUID,
        in conversation: UUID,
        _ partition: Int,
        since known: Hub.ViewsKnown
    ) -> Bool {
        viewTells.people(in: conversation, since: known.tells).contains(person)
            || recent.mayHold(in: partition, after: known.position) { item in
                if case .said(in: conversation, _) = item.clearing { return true }
                guard case .people(let people, conversation) = item.unread else { return false }
                return people.contains(person)
            }
    }
}
