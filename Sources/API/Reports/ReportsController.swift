import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import ParleyWire
import ReadModels

/// Telling those who run the server of people and messages. Who is reported is told nothing.
struct ReportsController {
    let commands: ConversationCommands
    let messages: VisibleMessages
    let reports: Reports

    func addRoutes(to group: Routes<CallerContext>) {
        group.post("reports", use: create)
    }

    @Sendable private func create(_ request: Request, _ context: CallerContext) async throws -> Response {
        let caller = context.callerID
        let fields = try ReportFields(try await request.fields(), by: caller)
        let key = try request.idempotencyKey
        if let person = fields.userID {
            guard try await commands.unknownPeople([person]).isEmpty else { throw HTTPProblem.notFound }
        }
        let message = try await message(of: fields, seenBy: caller)
        let report = Reports.Report(
            id: commands.commandID(for: key, of: caller) ?? commands.clock.newID(),
            reporter: caller,
            // What is kept of a message goes with the erasure of who is reported: that is its sender, whoever is named.
            person: message?.senderId.uuid ?? fields.userID,
            conversation: fields.conversationID,
            message: fields.messageID,
            reason: fields.reason.rawValue,
            evidence: Reports.Evidence(
                text: message?.text,
                sender: message?.senderId.uuid,
                sentAt: message?.timestamp,
                editedAt: message?.editedAt,
                files: message?.attachments.compactMap { AttachedFile($0) },
                comment: fields.comment
            )
        )
        let (time, isNew) = try await reports.add(report, content: fields.content)
        return JSONBody.response(
            ParleyWire.Report(
                id: WireID(report.id),
                userId: report.person.map { WireID($0) },
                conversationId: report.conversation.map { WireID($0) },
                messageId: report.message.map { WireID($0) },
                reason: ReportReason(rawValue: report.reason),
                createdAt: Timestamp.truncate(time)
            ),
            status: isNew ? .created : .ok
        )
    }

    /// The message as the caller sees it now; nil where none is reported.
    ///
    /// - Throws: `notFound` for a conversation or a message that is not for the caller to see.
    private func message(of fields: ReportFields, seenBy caller: UUID) async throws -> Message? {
        guard let conversation = fields.conversationID else { return nil }
        if let id = fields.messageID { return try await messages.message(id, in: conversation, seenBy: caller) }
        try await messages.conversation(conversation, readBy: caller)
        return nil
    }
}
