import Attachments
import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Messaging
import NIOCore
import ParleyWire
import ReadModels

/// Files: bringing them, whole or piece by piece, and getting them.
struct AttachmentsController {
    let attachments: Attachments
    let access: AttachmentAccess
    let commands: ConversationCommands
    /// Whether pages of other origins show what is here.
    let isSharedAcrossOrigins: Bool

    private static let file = "attachments/{attachmentId}"

    func addRoutes(to group: Routes<CallerContext>) {
        let body = BodyRule.streamed(upTo: attachments.limits.mostBytes)
        group.on(.put, Self.file, body: body, use: put)
        group.on(.post, "attachments", body: body, use: post)
        group.on(.patch, Self.file, body: body, use: goOn)
        group.get(Self.file, use: get)
        group.delete(Self.file, use: withdraw)
    }

    /// Routes for those who bring a URL in place of a token.
    func addLinkedRoutes(to group: Routes<CallerContext>) {
        group.get("\(Self.file)/content", use: content)
    }

    // MARK: Uploading

    @Sendable private func put(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await upload(try context.newID("attachmentId"), request, context)
    }

    @Sendable private func post(_ request: Request, _ context: CallerContext) async throws -> Response {
        let key = try request.idempotencyKey
        return try await upload(
            commands.commandID(for: key, of: context.callerID) ?? commands.clock.newID(),
            request,
            context
        )
    }

    private func upload(_ id: UUID, _ request: Request, _ context: CallerContext) async throws -> Response {
        let fields = try UploadFields(request)
        if request.headers[.contentType]?.lowercased().hasPrefix("multipart/") == true {
            let message = "The body is the bytes of the file themselves, with its own type, and no form around them."
            throw HTTPProblem(.unsupportedMediaType, message)
        }
        let limit = attachments.limits.bytes(of: fields.kind)
        if let length = fields.upload.length ?? fields.upload.bodyLength, length > Int64(limit) {
            throw AttachmentError.tooLarge(limit: limit)
        }
        let upload = UploadRequest(
            id: id,
            owner: context.callerID,
            kind: fields.kind,
            name: fields.name,
            contentType: request.headers[.contentType],
            durationMs: fields.durationMs,
            waveform: fields.waveform,
            length: fields.upload.length,
            isWhole: fields.upload.isComplete ?? true
        )
        return answer(try await attachments.put(upload, request.body), id)
    }

    @Sendable private func goOn(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("attachmentId")
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type == nil || type == "application/partial-upload" || type == "application/octet-stream" else {
            throw HTTPProblem(.unsupportedMediaType, "What goes on is application/partial-upload.")
        }
        let headers = try UploadHeaders(request)
        guard let offset = headers.offset else {
            throw HTTPProblem.malformed("\(ParleyHeader.uploadOffset) is needed: HEAD tells it.")
        }
        let outcome = try await attachments.goOn(
            with: id,
            of: context.callerID,
            at: offset,
            length: headers.length,
            isWhole: headers.isComplete ?? true,
            request.body
        )
        return answer(outcome, id)
    }

    private func answer(_ outcome: UploadOutcome, _ id: UUID) -> Response {
        switch outcome {
        case .complete(let file, let isNew):
            return JSONBody.response(
                Attachment(file.file),
                status: isNew ? .created : .ok,
                headers: [
                    .location: "/v1/attachments/\(WireID(id))", .uploadComplete: "?1",
                    .uploadOffset: "\(file.length ?? file.received)",
                ]
            )
        case .partial(let received):
            return Response(
                status: .created,
                headers: [
                    .location: "/v1/attachments/\(WireID(id))", .uploadComplete: "?0", .uploadOffset: "\(received)",
                    .contentLength: "0",
                ]
            )
        }
    }

    // MARK: Looking

    /// How far an upload has come, for HEAD; what is told of the file, with URLs that hold anew.
    @Sendable private func get(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.id("attachmentId")
        if request.method == .head, let file = try await attachments.find(id), file.owner == context.callerID {
            return progress(of: file)
        }
        let file = try await access.file(id, for: context.callerID)
        return await Representation(encoding: Attachment(file.file)).response(to: request)
    }

    private func progress(of file: StoredAttachment) -> Response {
        var headers: HTTPFields = [
            .uploadOffset: "\(file.isComplete ? file.length ?? 0 : file.received)",
            .uploadComplete: file.isComplete ? "?1" : "?0",
            .uploadLimit: "max-size=\(attachments.limits.bytes(of: file.kind))",
            .cacheControl: "no-store",
        ]
        if let length = file.length { headers[.uploadLength] = "\(length)" }
        return Response(status: .noContent, headers: headers)
    }

    @Sendable private func withdraw(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await attachments.withdraw(try context.id("attachmentId"), of: context.callerID)
        return Response(status: .noContent)
    }

    // MARK: Bytes

    @Sendable private func content(_ request: Request, _ context: CallerContext) async throws -> Response {
        let size = try Query(request.uri.query).choice("size", of: AttachmentLinks.Size.self) ?? .full
        let file = try await access.file(try context.id("attachmentId"), for: context.callerID)
        guard let length = file.bytes(size) else { throw HTTPProblem.notFound }
        return try await Content(
            length: length,
            pieceBytes: attachments.pieceBytes,
            type: file.contentType(size),
            tag: file.tag(size),
            more: [
                .cacheControl: "private, max-age=1800, immutable",
                .vary: "Authorization, Cookie",
                .contentDisposition: FileName.disposition(isInline: file.kind != .file, file.file.name),
                .contentSecurityPolicy: "default-src 'none'; sandbox",
                .crossOriginResourcePolicy: isSharedAcrossOrigins ? "cross-origin" : "same-site",
            ]
        ) { [attachments] range in
            try await attachments.read(file, size, range)
        }.response(to: request, within: context.answers)
    }
}
