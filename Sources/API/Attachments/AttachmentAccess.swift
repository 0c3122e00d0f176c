import Attachments
import Edge
import EventSourcing
import EventStore
import Foundation
import Identity
import Messaging
import ParleyWire
import ReadModels

/// Who may have a file: whoever may see a message that has it now, or the person or group whose picture it is. Asked of the log
/// at every request: what is deleted is gone at the next one, and who is removed keeps what came before and has nothing else.
struct AttachmentAccess: Sendable {
    let attachments: Attachments
    let messages: VisibleMessages
    let profiles: Profiles

    /// - Throws: `notFound` for what is not there, or not for this person.
    func file(_ id: UUID, for caller: UUID) async throws -> StoredAttachment {
        guard let file = try await attachments.find(id), file.isComplete else { throw HTTPProblem.notFound }
        if file.owner == caller, try await !attachments.isUsed(id) { return file }
        let uses = try await attachments.uses(of: id, for: caller)
        for use in uses where try await shows(use, id, to: caller) { return file }
        for (subject, isGroup) in try await attachments.subjects(of: id) {
            let isShown =
                isGroup
                ? try await isIcon(id, of: subject, seenBy: caller) : try await profiles.photo(of: subject) == id
            if isShown { return file }
        }
        // What is to be sent later is its author's until then.
        if file.owner == caller, !uses.isEmpty, try await !wasSent(uses) { return file }
        throw HTTPProblem.notFound
    }

    /// Whether any of these messages was sent, and be it deleted by now.
    private func wasSent(_ uses: [AttachmentUses.Use]) async throws -> Bool {
        let log = messages.commands.eventStore.log
        for use in uses {
            let stream = StreamID(.conversation, use.conversation)
            if try await log.event(of: use.message, in: stream) != nil { return true }
        }
        return false
    }

    private func shows(_ use: AttachmentUses.Use, _ file: UUID, to caller: UUID) async throws -> Bool {
        do {
            let message = try await messages.message(use.message, in: use.conversation, seenBy: caller)
            return message.attachments.contains { $0.id.uuid == file }
        } catch let problem as HTTPProblem where problem.code == .notFound {
            return false
        } catch is ConversationRejection {
            return false
        }
    }

    private func isIcon(_ file: UUID, of group: UUID, seenBy caller: UUID) async throws -> Bool {
        do {
            let token = try await messages.conversation(group, readBy: caller)
            guard try await messages.visibility.reaches(token) else { throw ConversationAnswers.notShownYet }
            let icon = try await messages.queries.conversation(group, for: caller)?.groupIcon
            return icon.flatMap(AttachmentLinks.file(at:)) == file
        } catch is ConversationRejection {
            return false
        }
    }
}

extension LinkSigner {
    /// Whose session a URL was made for, where it still holds and the session lives.
    func caller(
        _ path: String,
        _ query: String?,
        _ identity: Identity,
        beforeQuery: Identity.BeforeQuery
    ) async throws -> AuthenticatedUser? {
        let query = Query(query)
        guard let file = AttachmentLinks.file(at: path),
            let size = try? query.choice("size", of: AttachmentLinks.Size.self) ?? .full,
            let session = session(of: file, size, try? query.text("s"), try? query.text("e"), try? query.text("k"))
        else { return nil }
        let expiry = Date().addingTimeInterval(60)
        return try await identity.user(ofSession: session, until: expiry, beforeQuery: beforeQuery)
    }
}
