import Edge
import EventSourcing
import EventStore
import Foundation
import Live
import Messaging
import ParleyWire

extension ConversationCommands {
    /// Gives a command that sends messages, in the name of their sender.
    ///
    /// - Parameter ids: the messages', in their order; the first one is the command's.
    func send(
        _ command: ConversationCommand,
        as ids: [UUID],
        to conversation: UUID,
        by sender: UUID,
        content: [UInt8]
    ) async throws -> Handled<Void> {
        do {
            return try await handle(
                command,
                on: conversation,
                by: sender,
                commandID: ids.first,
                furtherIDs: Array(ids.dropFirst()),
                content: content
            ) { _ in }
        } catch CommandError.idConflict {
            // Only a member is told which ids are in use.
            try await require(.send, by: sender, in: conversation)
            throw CommandError.idConflict
        }
    }

    /// The message that is answered, from the log; nil where none is.
    func replyTo(_ id: UUID?, in conversation: UUID, for person: UUID) async throws -> ReplyTo? {
        guard let id else { return nil }
        if let quoted = try await quoted([id], in: conversation, for: person)[id] { return quoted }
        throw HTTPProblem.invalid(pointer: "/replyToId", .unknown, "The conversation has no such message.")
    }

    /// The messages that are answered, from the log: what one command sent, the next may answer.
    ///
    /// - Throws: a rejection where one is not there and the person may not know which are.
    func quoted(_ ids: Set<UUID>, in conversation: UUID, for person: UUID) async throws -> [UUID: ReplyTo] {
        guard !ids.isEmpty else { return [:] }
        let records = try await eventStore.log.events(of: Array(ids), in: .init(.conversation, conversation))
        let quoted = records.reduce(into: [UUID: ReplyTo]()) { quoted, record in
            guard case .messageSent(let sent) = record.conversationEvent else { return }
            quoted[sent.messageID] = ReplyTo(sent)
        }
        // Only a member is told which messages there are not.
        if quoted.count < ids.count { try await require(.send, by: person, in: conversation) }
        return quoted
    }
}

extension ReplyTo {
    init(_ sent: MessageSent) {
        self.init(id: WireID(sent.messageID), seq: sent.seq, senderId: WireID(sent.sender), text: sent.text)
    }
}
