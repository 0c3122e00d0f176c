import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Live
import Messaging
import ParleyWire
import ReadModels

/// Sends several messages at once, for bots and importers: all of them, in one commit, or none.
struct MessageBatches {
    let commands: ConversationCommands
    let queries: Queries
    let visibility: Visibility
    let limits: ServerLimits
    let files: AttachedFiles

    func send(
        _ fields: Fields,
        to conversation: UUID,
        by sender: UUID,
        key: UUID?
    ) async throws -> Response {
        let command = commands.commandID(for: key, of: sender)
        let batch = try SendMessagesFields(fields, limits: limits) { place in
            command.map { DerivedID.message(place, under: $0) } ?? commands.clock.newID()
        }
        let ids = batch.items.map(\.id)
        let (handled, quoted) = try await send(batch, as: ids, to: conversation, by: sender)
        let records = handled.isReplay ? try await recorded(ids, in: conversation) : handled.events
        return await JSONBody.response(
            writing: try await answer(records, handled, in: conversation, for: sender, quoted),
            status: handled.isReplay ? .ok : .created,
            headers: [.parleyPosition: handled.token.text]
        )
    }

    /// Sends them; where that is refused for good, their files belong to nothing again.
    ///
    /// - Returns: also what they answer, where that was there before them.
    private func send(
        _ batch: SendMessagesFields,
        as ids: [UUID],
        to conversation: UUID,
        by sender: UUID
    ) async throws -> (Handled<Void>, [UUID: ReplyTo]) {
        var claims: [(message: UUID, files: [UUID])] = []
        do {
            let (messages, quoted) = try await messages(of: batch, to: conversation, by: sender, &claims)
            let handled = try await commands.send(
                .sendMessages(messages),
                as: ids,
                to: conversation,
                by: sender,
                content: batch.content
            )
            return (handled, quoted)
        } catch {
            for claim in claims {
                await files.release(claim.files, of: claim.message, in: conversation, after: error)
            }
            throw error
        }
    }

    /// - Parameter claims: the files that could be claimed, also where others could not.
    /// - Returns: also what they answer, where that was there before them.
    private func messages(
        of batch: SendMessagesFields,
        to conversation: UUID,
        by sender: UUID,
        _ claims: inout [(message: UUID, files: [UUID])]
    ) async throws -> (SendMessages, [UUID: ReplyTo]) {
        let places = Dictionary(uniqueKeysWithValues: batch.items.enumerated().map { ($1.id, $0) })
        let asked = Set(batch.items.compactMap(\.fields.replyToID))
        let quoted = try await commands.quoted(
            asked.filter { places[$0] == nil },
            in: conversation,
            for: sender
        )
        var answers: [Int: Int] = [:]
        var unknown: [FieldProblem] = []
        for (place, item) in batch.items.enumerated() {
            guard let id = item.fields.replyToID, quoted[id] == nil else { continue }
            if let answered = places[id], answered < place {
                answers[place] = answered
            } else {
                let pointer = "/messages/\(place)/replyToId"
                let message = "Neither the conversation nor what comes before has such a message."
                unknown.append(FieldProblem(pointer: pointer, code: .unknown, message: message))
            }
        }
        guard unknown.isEmpty else { throw HTTPProblem.invalid(Array(unknown.prefix(50))) }
        let now = commands.clock.moment()
        var messages: [SendMessage] = []
        for (place, item) in batch.items.enumerated() {
            let files = try await files.claim(
                item.fields.attachmentIDs,
                by: sender,
                for: item.id,
                in: conversation,
                at: "/messages/\(place)/attachmentIds"
            )
            claims.append((message: item.id, files: item.fields.attachmentIDs))
            let quote = item.fields.replyToID.flatMap { quoted[$0] }
            messages.append(item.fields.command(item.id, by: sender, replyTo: quote, files: files, at: now))
        }
        return (SendMessages(messages: messages, answers: answers), quoted)
    }

    /// What a batch that is repeated did when it was new.
    private func recorded(_ ids: [UUID], in conversation: UUID) async throws -> [RecordedEvent] {
        let records = try await commands.eventStore.log.events(of: ids, in: StreamID(.conversation, conversation))
        return records.sorted { $0.version < $1.version }
    }

    /// New messages are told from their events, at once. Repeated ones are told as they are now, where the read models can.
    private func answer(
        _ records: [RecordedEvent],
        _ handled: Handled<Void>,
        in conversation: UUID,
        for sender: UUID,
        _ quoted: [UUID: ReplyTo]
    ) async throws -> MessagesAnswer {
        var quoted = try await queries.quotes(quoted, in: conversation, shownTo: sender)
        var sent: [(message: MessageSent, record: RecordedEvent)] = []
        for record in records {
            // The first id belongs to another command of this conversation, such as its start.
            guard case .messageSent(let message) = record.conversationEvent else { throw CommandError.idConflict }
            sent.append((message, record))
            quoted[message.messageID] = ReplyTo(message)
        }
        var shown: [Int64: Message] = [:]
        if handled.isReplay, try await visibility.reaches(handled.token) {
            shown = try await queries.messages(sent.map(\.message.seq), in: conversation, for: sender)
        }
        return MessagesAnswer(
            items: sent.map { message, record in
                shown[message.seq]
                    ?? Message(
                        message,
                        at: record.recordedAt,
                        position: record.position,
                        in: conversation,
                        replyTo: message.replyTo.flatMap { quoted[$0.id] }
                    )
            }
        )
    }
}
