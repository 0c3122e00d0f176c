import Foundation

extension HubState {
    /// Whether something of a person's own view of a conversation was published since a moment, or may have been: marks
    /// and views, another draft, or a message, which takes the conversation out of the archive and back into the list.
    func hasPublishedView(
        of person: UUID,
        in conversation: UUID,
        _ partition: Int,
        since known: Hub.ViewsKnown
    ) -> Bool {
        publishedViews.people(in: conversation, since: known.viewsPublished).contains(person)
            || recent.mayHold(in: partition, after: known.position) { item in
                if case .said(in: conversation, _) = item.clearing { return true }
                guard case .people(let people, conversation) = item.unread else { return false }
                return people.contains(person)
            }
    }
}
