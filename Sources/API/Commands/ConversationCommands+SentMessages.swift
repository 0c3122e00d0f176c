import Edge
import EventSourcing
import EventStore
import Foundation
import Live
import Messaging
import ParleyWire
import ReadModels

extension ConversationCommands {
    /// Compares what is sent again with what is left of it in the log, where its first message was deleted, and the content of
    /// the whole with it.
    ///
    /// - Throws: `idConflict` where there were other messages, or one that is still there says something else.
    func compare(_ command: ConversationCommand, as ids: [UUID], in conversation: UUID) async throws {
        guard let id = ids.first else { return }
        // One more tells whether there were more.
        let records = try await eventStore.log.events(
            from: id,
            in: StreamID(.conversation, conversation),
            atMost: ids.count + 1
        )
        var sent: [MessageSent] = []
        for record in records {
            guard case .messageSent(let message) = record.conversationEvent else { break }
            sent.append(message)
        }
        guard sent.map(\.messageID) == ids, zip(sent, command.messages).allSatisfy({ $0.mayBe($1) }) else {
            throw CommandError.idConflict
        }
    }

    /// The message that is answered, from the log; nil where none is.
    func replyTo(_ id: UUID?, in conversation: UUID, for person: UUID) async throws -> ReplyTo? {
        guard let id else { return nil }
        if let quoted = try await quoted([id], in: conversation, for: person)[id] { return quoted }
        throw HTTPProblem.invalid(pointer: "/replyToId", .unknown, "The conversation has no such message.")
    }

    /// The messages that are answered, from the log, with their newest texts: what one command sent, the next may answer.
    ///
    /// - Throws: a rejection where one is not there and the person may not know which are.
    func quoted(_ ids: Set<UUID>, in conversation: UUID, for person: UUID) async throws -> [UUID: ReplyTo] {
        guard !ids.isEmpty else { return [:] }
        let stream = StreamID(.conversation, conversation)
        let records = try await eventStore.log.events(of: Array(ids), in: stream)
        var quoted = records.reduce(into: [UUID: ReplyTo]()) { quoted, record in
            guard case .messageSent(let sent) = record.conversationEvent else { return }
            quoted[sent.messageID] = ReplyTo(sent)
        }
        // Only a member is told which messages there are not.
        if quoted.count < ids.count { try await require(.send, by: person, in: conversation) }
        let changes = try await eventStore.log.newest(
            of: ConversationEvent.typesOfTextChanges,
            about: Array(quoted.keys),
            in: stream
        )
        for change in changes {
            switch change.conversationEvent {
            case .messageEdited(let edited): quoted[edited.messageID]?.text = edited.text
            case .messageDeleted(let deleted):
                quoted[deleted.messageID]?.text = nil
                quoted[deleted.messageID]?.attachments = nil
            default: break
            }
        }
        return quoted
    }
}

extension ConversationCommand {
    /// What it sends, with what each message answers.
    fileprivate var messages: [(message: SendMessage, replyTo: UUID?)] {
        switch self {
        case .send(let message): [(message, message.replyTo?.id)]
        case .sendMessages(let batch):
            batch.messages.enumerated().map { place, message in
                (message, batch.answers[place].map { batch.messages[$0].messageID } ?? message.replyTo?.id)
            }
        default: []
        }
    }
}

extension MessageSent {
    /// Whether it says the same, as far as that is there to be compared.
    fileprivate func mayBe(_ sending: (message: SendMessage, replyTo: UUID?)) -> Bool {
        guard let text else { return true }
        let message = sending.message
        return text == message.text && replyTo?.id == sending.replyTo && Set(mentions) == Set(message.mentions)
            && mentionsAll == message.mentionsAll && attachments.map(\.id) == message.attachments.map(\.id)
    }
}

extension ReplyTo {
    init(_ sent: MessageSent) {
        self.init(
            id: WireID(sent.messageID),
            seq: sent.seq,
            senderId: WireID(sent.sender),
            text: sent.text,
            attachments: sent.attachments.kinds
        )
    }
}
