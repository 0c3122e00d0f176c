package import EventSourcing
package import Foundation
import Messaging
import ParleyWire
package import ReadModels

/// What an event of a conversation tells those who are no member and see all of it, such as webhooks: what members are told whom
/// it does not concern in person, as things are now.
package struct OnlookerRenderer: Sendable {
    private let queries: Queries

    /// What of a conversation is somebody's own view of it.
    private static let personal: Set<String> = [
        "me", "unreadCount", "mentionCount", "firstUnreadSeq", "lastMessage", "users",
    ]

    package init(queries: Queries) {
        self.queries = queries
    }

    /// The `data` of the stream's event, as JSON; nil where there is nothing to tell.
    ///
    /// - Parameter record: one that the read models show.
    package func data(of record: RecordedEvent) async throws -> Data? {
        guard let announcement = Announcement(of: record), let conversation = announcement.conversation else {
            return nil
        }
        var facts = Facts()
        switch announcement.news {
        case .messageCreated(let sent, _):
            try await addMessage(sent.seq, of: announcement, to: &facts)
        case .messageUpdated(let seq), .messageDeleted(let seq), .reactionsUpdated(to: let seq):
            try await addMessage(seq, of: announcement, to: &facts)
        case .participantAdded(let person), .participantUpdated(let person), .participantRemoved(let person):
            facts.participants[conversation] = try await queries.participants([person], of: conversation)
        case .conversationCreated, .conversationUpdated:
            return try await data(of: conversation)
        case .conversationRemoved, .receiptsUpdated, .messageHidden, .userUpdated, .viewUpdated, .blockUpdated:
            return nil
        }
        guard let data = announcement.event(.common, given: facts)?.data() else { return nil }
        return try Self.ordered(WireJSON.decoder().decode(JSONValue.self, from: data))
    }

    /// What comes again is the same, byte for byte.
    private static func ordered(_ value: JSONValue) throws -> Data {
        let encoder = WireJSON.encoder()
        encoder.outputFormatting.insert(.sortedKeys)
        return try encoder.encode(value)
    }

    private func addMessage(_ seq: Int64, of announcement: Announcement, to facts: inout Facts) async throws {
        guard let conversation = announcement.conversation,
            let message = try await queries.message(seq, in: conversation)
        else { return }
        facts.messages[announcement.position] = Facts.SentMessage(message: message)
        facts.names = try await queries.summaries(of: Set(message.authors.map(\.uuid)))
    }

    /// The conversation without what is somebody's own view, not of whoever did it either: that one may have left since.
    private func data(of conversation: UUID) async throws -> Data? {
        guard let seen = try await queries.conversation(forOnlookers: conversation) else { return nil }
        let changed = StreamEvent.ConversationChanged(conversation: seen)
        let encoded = try WireJSON.encoder().encode(changed)
        guard case .object(var object) = try WireJSON.decoder().decode(JSONValue.self, from: encoded),
            case .object(let whole)? = object["conversation"]
        else { return nil }
        object["conversation"] = .object(whole.filter { !Self.personal.contains($0.key) })
        return try Self.ordered(.object(object))
    }
}
