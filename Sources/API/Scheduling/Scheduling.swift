import Attachments
import Edge
import EventSourcing
import EventStore
import Foundation
import Live
import Messaging
import ParleyWire
import ReadModels

/// Scheduling, changing and withdrawing what is to be sent later, beside processes that send it.
///
/// A row is claimed before it is changed, so that either the change comes first or the sending; where a sender has gone in the
/// middle, the log says which.
struct Scheduling {
    /// Looks, while somebody else has the row: sending takes milliseconds.
    private static let attempts = 20
    private static let pause = Duration.milliseconds(100)

    let commands: ConversationCommands
    let messages: ScheduledMessages
    let alarm: Alarm
    let limits: ServerLimits
    let files: AttachedFiles

    /// - Returns: also whether it is new.
    func put(_ id: UUID, _ fields: ScheduleFields, by author: UUID) async throws -> (ScheduledMessage, isNew: Bool) {
        if let answer = try await repeated(id, fields, by: author) { return (answer, false) }
        let now = commands.clock.moment()
        try fields.checkTime(at: now)
        // As strictly as a send would now; what counts is asked again then.
        try await commands.state(of: fields.conversation, for: author) { state throws(ConversationRejection) in
            try state.require(.send, by: author)
            try state.requireNoBlock(by: author)
        }
        if fields.message.mentionsAll {
            try await commands.require(.mentionAll, by: author, in: fields.conversation)
        }
        _ = try await commands.replyTo(fields.message.replyToID, in: fields.conversation, for: author)
        // Whoever may send there may know of it.
        if try await isTaken(id, in: fields.conversation, from: author) { throw CommandError.idConflict }
        // They are kept for it, however long that is.
        _ = try await files.claim(fields.message.attachmentIDs, by: author, for: id, in: fields.conversation)
        do {
            return try await place(id, fields, by: author, at: now)
        } catch {
            if !HTTPProblem(error).code.isRetryable {
                await release(fields.message.attachmentIDs, of: id, in: fields.conversation, by: author)
            }
            throw error
        }
    }

    /// Has files belong to nothing that were claimed for a row, but for those that it has now. Where that fails, the collector
    /// sees to it.
    private func release(_ ids: [UUID], of id: UUID, in conversation: UUID, by author: UUID) async {
        guard !ids.isEmpty else { return }
        do {
            let row = try await messages.find(id, of: author)
            let kept = row?.conversation == conversation ? row?.content?.attachments ?? [] : []
            await files.release(ids.filter { !kept.contains($0) }, of: id, in: conversation)
        } catch {
            // The collector sees to it.
        }
    }

    /// Puts what was found not to be sent into its row, unless it has been sent since.
    ///
    /// - Returns: also whether it is new.
    func place(
        _ id: UUID,
        _ fields: ScheduleFields,
        by author: UUID,
        at now: Date
    ) async throws -> (ScheduledMessage, isNew: Bool) {
        let row = ScheduledSend(
            id: id,
            author: author,
            conversation: fields.conversation,
            sendAt: fields.sendAt,
            content: fields.content,
            createdAt: now
        )
        let existing = try await put(row)
        if existing == nil, try await sent(id, in: fields.conversation, by: author) != nil {
            // A sender's row made room for this one, and what it said is in the log.
            try await takeBack(row)
            guard let answer = try await repeated(id, fields, by: author) else { throw CommandError.idConflict }
            return (answer, false)
        }
        alarm.set(for: row.sendAt)
        if let existing {
            await release(existing.content?.attachments ?? [], of: id, in: existing.conversation, by: author)
        }
        guard var answer = ScheduledMessage(row) else { throw CommandError.unknownActor }
        if let existing { answer.createdAt = existing.createdAt }
        return (answer, existing == nil)
    }

    /// What there is already, where the request says the same.
    ///
    /// - Throws: `idConflict` where it was sent, and said something else.
    private func repeated(_ id: UUID, _ fields: ScheduleFields, by author: UUID) async throws -> ScheduledMessage? {
        if let row = try await messages.find(id, of: author) {
            let isSame =
                row.conversation == fields.conversation && row.failure == nil
                && Timestamp.milliseconds(of: row.sendAt) == Timestamp.milliseconds(of: fields.sendAt)
                && row.content.map { fields.content.says(the: $0) } == true
            return isSame ? ScheduledMessage(row) : nil
        }
        guard let (sent, at) = try await sent(id, in: fields.conversation, by: author) else { return nil }
        let said = sent.text.map {
            ScheduledSend.Content(
                text: $0,
                replyTo: sent.replyTo?.id,
                mentions: sent.mentions,
                mentionsAll: sent.mentionsAll,
                clientTimestamp: nil,
                attachments: sent.attachments.map(\.id)
            )
        }
        // What was deleted is not there to be compared.
        guard said.map({ fields.content.says(the: $0) }) ?? true else { throw CommandError.idConflict }
        return ScheduledMessage(
            id: WireID(id),
            conversationId: WireID(fields.conversation),
            sendAt: fields.sendAt,
            status: .sent,
            text: fields.message.text,
            replyToId: fields.message.replyToID.map { WireID($0) },
            attachmentIds: fields.content.attachments?.map { WireID($0) },
            mentions: [Mention](fields.message.mentions, all: fields.message.mentionsAll),
            clientTimestamp: sent.clientTimestamp,
            createdAt: at
        )
    }

    /// Adds the row, or puts it in the place of the author's other one.
    ///
    /// - Returns: that other one; nil where it is new.
    private func put(_ row: ScheduledSend) async throws -> ScheduledSend? {
        for _ in 0..<Self.attempts {
            switch try await messages.add(row, limit: limits.maxScheduledMessages) {
            case .added: return nil
            case .unknownAuthor: throw CommandError.unknownActor
            case .full:
                let message = "At most \(limits.maxScheduledMessages) messages can be scheduled."
                throw HTTPProblem.invalid(parameter: "messageId", .tooMany, message)
            case .present: break
            }
            switch try await messages.claim(row.id, of: row.author, at: commands.clock.moment()) {
            case .absent: break
            case .busy:
                try await Task.sleep(for: Self.pause)
                continue
            case .claimed(let claim):
                guard try await !isSent(claim) else { break }
                if try await messages.change(claim, to: row) { return claim.message }
            }
            // It was sent meanwhile, or is not there any more.
            guard try await sent(row.id, in: row.conversation, by: row.author) == nil else {
                throw CommandError.idConflict
            }
        }
        throw Self.isBeingSent
    }

    /// Withdraws it: from then on it is certain that it is never sent.
    ///
    /// - Throws: `notFound` where there is no such message (any more), which may be since it is sent.
    func withdraw(_ id: UUID, of author: UUID) async throws {
        for _ in 0..<Self.attempts {
            switch try await messages.claim(id, of: author, at: commands.clock.moment()) {
            case .absent: throw HTTPProblem.notFound
            case .busy: try await Task.sleep(for: Self.pause)
            case .claimed(let claim):
                if claim.message.failure == nil, try await isSent(claim) { throw HTTPProblem.notFound }
                if try await messages.remove(claim) {
                    let row = claim.message
                    await files.release(row.content?.attachments ?? [], of: id, in: row.conversation)
                    return
                }
            }
        }
        throw Self.isBeingSent
    }

    private func takeBack(_ row: ScheduledSend) async throws {
        do {
            try await withdraw(row.id, of: row.author)
        } catch let problem as HTTPProblem where problem.code == .notFound {
            // Somebody else was faster.
        }
    }

    /// Whether whoever tried to send it has done so, and could not say it; then the row goes.
    private func isSent(_ claim: ScheduledMessages.Claim) async throws -> Bool {
        let row = claim.message
        guard claim.attempts > 0, try await sent(row.id, in: row.conversation, by: row.author) != nil else {
            return false
        }
        _ = try await messages.remove(claim)
        return true
    }

    /// Whether the id is that of something else in the conversation than a message of the author's: what is scheduled
    /// under it could never be sent.
    private func isTaken(_ id: UUID, in conversation: UUID, from author: UUID) async throws -> Bool {
        let record = try await commands.eventStore.log.event(of: id, in: StreamID(.conversation, conversation))
        guard let record else { return false }
        if case .messageSent(let sent) = record.conversationEvent { return sent.sender != author }
        return true
    }

    /// The author's message of this id, by the log.
    private func sent(_ id: UUID, in conversation: UUID, by author: UUID) async throws -> (MessageSent, at: Date)? {
        let record = try await commands.eventStore.log.event(of: id, in: StreamID(.conversation, conversation))
        guard let record, case .messageSent(let sent) = record.conversationEvent, sent.sender == author else {
            return nil
        }
        return (sent, record.recordedAt)
    }

    private static let isBeingSent = HTTPProblem(
        .unavailable,
        "The message is being sent at this moment: ask again what has become of it."
    )
}
