import Foundation
import ParleyWire

/// The events of an announcement, one after the other.
///
/// The last event has the `id`: who is cut in between gets all of them again, and applying one twice is harmless.
extension Announcement {
    /// All that one person gets, in order.
    func events(for viewer: UUID, given facts: Facts) -> [StreamEvent] {
        events(versions(for: [viewer], given: facts).version(for: viewer), given: facts)
    }

    /// - Parameter version: nil for who gets nothing but by the history.
    func events(_ version: Version?, given facts: Facts) -> [StreamEvent] {
        let main = version.flatMap { event($0, given: facts) }
        guard let message = systemMessage(given: facts) else {
            return main.map { [preface(given: facts), $0].compactMap(\.self) } ?? []
        }
        // A message comes into a conversation that the client has.
        if case .conversationRemoved = main { return [message, main].compactMap(\.self) }
        return [preface(given: facts), main, message].compactMap(\.self)
    }

    /// Who is erased, whose words have gone from a conversation.
    private func preface(given facts: Facts) -> StreamEvent? {
        guard conversation != nil, let erased else { return nil }
        return facts.users[erased].map { .userUpdated(StreamEvent.UserUpdated(user: $0)) }
    }

    /// The message by which the history tells of it: the same to everybody.
    private func systemMessage(given facts: Facts) -> StreamEvent? {
        guard let message = facts.systemMessages[position] else { return nil }
        return created(message.without(textsOf: facts.isErased), facts).map { .messageCreated($0) }
    }
}
