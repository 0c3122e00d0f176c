import Attachments
import Edge
import EventSourcing
import EventStore
import Foundation
import Live
import Messaging
import ParleyWire

/// Makes files belong to messages before these are sent, and takes that back where they are not.
struct AttachedFiles: Sendable {
    let attachments: Attachments
    let commands: ConversationCommands

    /// The caller's files by their ids, for a message of the caller's that is about to be sent, or was.
    ///
    /// - Parameter place: of the request's field.
    /// - Throws: a problem that names those that are not there to be sent; a rejection where the caller may not send.
    func claim(
        _ ids: [UUID],
        by caller: UUID,
        for message: UUID,
        in conversation: UUID,
        at place: String = "/attachmentIds"
    ) async throws -> [AttachedFile] {
        guard !ids.isEmpty else { return [] }
        try await commands.require(.send, by: caller, in: conversation)
        let files = try await attachments.claim(ids, of: caller, for: message, in: conversation)
        guard files.count < ids.count else { return files }
        let found = Set(files.map(\.id))
        // What was sent is found to be sent, also where nothing is left of its files: only the ids are compared.
        if try await sent(message, in: conversation)?.sender == caller {
            return ids.map { id in
                files.first { $0.id == id }
                    ?? AttachedFile(id: id, kind: .file, contentType: "application/octet-stream", bytes: 0)
            }
        }
        let problems = ids.enumerated().filter { !found.contains($0.element) }.map { index, _ in
            FieldProblem(
                pointer: "\(place)/\(index)",
                code: .unknown,
                message: "You have no such file that is complete and in no other message."
            )
        }
        throw HTTPProblem.invalid(problems)
    }

    /// Of these files those that are there still, for a message that passes them on.
    func share(
        _ files: [AttachedFile],
        by sender: UUID,
        for message: UUID,
        in conversation: UUID
    ) async throws -> [AttachedFile] {
        guard !files.isEmpty else { return [] }
        let kept = try await attachments.share(files.map(\.id), by: sender, for: message, in: conversation)
        return files.filter { kept.contains($0.id) }
    }

    /// Does what sends a message; where it is refused for good, its files belong to nothing again.
    func sending<Answer>(
        _ files: [AttachedFile],
        as message: UUID,
        in conversation: UUID,
        _ send: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await send()
        } catch {
            await release(files.map(\.id), of: message, in: conversation, after: error)
            throw error
        }
    }

    /// Has files belong to nothing whose message was refused, unless it is scheduled, too. What may have been sent all the same,
    /// the collector finds out.
    func release(_ files: [UUID], of message: UUID, in conversation: UUID, after error: any Error) async {
        // A rejection was decided, also one that says when to try again.
        guard error is ConversationRejection || !HTTPProblem(error).code.isRetryable else { return }
        await release(files, of: message, in: conversation, isScheduledKept: true)
    }

    /// Has files belong to nothing that a message is not to have, or not any more. Where that fails, the collector sees to it.
    func release(
        _ files: [UUID],
        of message: UUID,
        in conversation: UUID,
        isScheduledKept: Bool = false
    ) async {
        guard !files.isEmpty else { return }
        do {
            // Under its id a message may have been sent, whose files are its own.
            let kept = try await sent(message, in: conversation)?.attachments.map(\.id) ?? []
            let left = files.filter { !kept.contains($0) }
            try await attachments.release(message, in: conversation, only: left, isScheduledKept: isScheduledKept)
        } catch {
            // The collector sees to it.
        }
    }

    private func sent(_ message: UUID, in conversation: UUID) async throws -> MessageSent? {
        let record = try await commands.eventStore.log.event(of: message, in: StreamID(.conversation, conversation))
        guard let record, case .messageSent(let sent) = record.conversationEvent else { return nil }
        return sent
    }
}

extension AttachedFile {
    /// What a message shows of a file.
    init?(_ attachment: Attachment) {
        guard let kind = Kind(rawValue: attachment.kind.rawValue) else { return nil }
        self.init(
            id: attachment.id.uuid,
            kind: kind,
            contentType: attachment.contentType,
            bytes: attachment.bytes,
            name: attachment.name,
            width: attachment.width,
            height: attachment.height,
            blurhash: attachment.blurhash,
            durationMs: attachment.durationMs,
            waveform: attachment.waveform
        )
    }
}
