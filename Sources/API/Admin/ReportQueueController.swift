import Attachments
import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import Messaging
import NIOCore
import ParleyWire
import ReadModels

/// What people have reported: who reads what was written, and who closes a report, stands in the audit.
struct ReportQueueController {
    let reports: Reports
    let attachments: Attachments
    let limits: ServerLimits

    /// The longest note.
    private static let maxNote = 1_000

    /// Which reports a list has.
    private enum Status: String, CaseIterable {
        case waiting
        case closed
    }

    func addRoutes(to admin: Routes<OperatorContext>) {
        admin.get("reports", use: list)
        admin.get("reports/{reportId}", use: show)
        admin.get("reports/{reportId}/attachments/{attachmentId}", use: content)
        admin.post("reports/{reportId}/close", use: close)
    }

    /// Writes an act down in the transaction that does it.
    private func audit(_ action: String, _ id: UUID, _ context: OperatorContext) -> Reports.Beside {
        { connection in
            let target = WireID(id).description
            try await AuditLog.record(action, of: target, by: context.caller.name, on: connection)
        }
    }

    @Sendable private func list(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let query = Query(request.uri.query)
        let limit = try query.limit(limits)
        let status = try query.choice("status", of: Status.self) ?? .waiting
        let cursor = try query.text("cursor")
        let page = try await reports.page(closed: status == .closed, after: cursor, limit: limit)
        return JSONBody.response(
            ListPage(items: page.entries.map { ListedReport($0) }, nextCursor: page.nextCursor)
        )
    }

    @Sendable private func show(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let id = try context.id("reportId")
        let opened = try await reports.open(
            id,
            by: context.caller.name,
            beside: audit("report.open", id, context)
        )
        guard let opened else { throw HTTPProblem.notFound }
        return JSONBody.response(
            ListedReport(opened.entry, evidence: opened.evidence, actions: opened.actions)
        )
    }

    /// The bytes of a file of the message, as long as the report waits: reading them is reading the evidence.
    @Sendable private func content(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let id = try context.id("reportId")
        guard let file = try await attachments.find(try context.id("attachmentId"), heldBy: id),
            let length = file.bytes(.full),
            try await reports.open(id, by: context.caller.name, beside: audit("report.open", id, context)) != nil
        else { throw HTTPProblem.notFound }
        return try await Content(
            length: length,
            pieceBytes: attachments.pieceBytes,
            type: file.contentType(.full),
            tag: file.tag(.full),
            more: [
                .cacheControl: "no-store",
                .contentDisposition: FileName.disposition(isInline: false, file.file.name),
            ]
        ) { [attachments] range in
            try await attachments.read(file, .full, range)
        }.response(to: request, within: context.answers)
    }

    /// Of one that is closed already nothing changes: the answer says who did it, and what was noted.
    @Sendable private func close(_ request: Request, _ context: OperatorContext) async throws -> Response {
        let id = try context.id("reportId")
        var fields = try await request.fields()
        let note = fields.text("note", 1...Self.maxNote, required: true)
        if note?.allSatisfy(\.isWhitespace) == true {
            fields.fail("note", .required, "A word on what was done is expected.")
        }
        guard let note, fields.areValid else { throw fields.problem }
        _ = try await reports.close(
            id,
            by: context.caller.name,
            note: note,
            beside: audit("report.close", id, context)
        )
        guard let found = try await reports.find(id) else { throw HTTPProblem.notFound }
        return JSONBody.response(ListedReport(found.entry, actions: found.actions))
    }
}
