import Edge
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import NIOCore
import ParleyWire
import ReadModels

/// A person's own data, as JSON lines: read and written piece by piece, so that its size costs no memory.
struct ExportController {
    private static let pageSize = 200
    /// Lines are put together up to this size before they are written.
    private static let pieceSize = 64 * 1_024

    let identity: Identity
    let profiles: Profiles
    let queries: Queries
    let scheduled: ScheduledMessages

    func addRoutes(to group: Routes<CallerContext>) {
        group.post("me/export", use: export)
    }

    @Sendable private func export(_ request: Request, _ context: CallerContext) async throws -> Response {
        let caller = context.callerID
        // What can fail for the caller's sake fails before the answer begins.
        guard let contact = try await identity.contact(of: caller) else {
            throw HTTPProblem.unauthenticated("The account no longer exists.")
        }
        let me = try await profiles.me(caller, contact)
        // What is read at a time stays until the client has taken it.
        let held = try context.answers.take(queries.answerBytes)
        let session = context.caller.sessionID
        let links = AttachmentLinks.current
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/x-ndjson",
                .contentDisposition: #"attachment; filename="parley-export.ndjson""#,
            ],
            body: ResponseBody { [held] writer in
                try await AttachmentLinks.$current.withValue(links) {
                    try await write(me, from: session, to: &writer)
                }
                // An answer that is cut short has no such line.
                try await Self.write([.end], to: &writer)
                try await writer.finish(nil)
                withExtendedLifetime(held) {}
            }
        )
    }

    @concurrent private func write(_ me: Me, from session: UUID, to writer: inout any ResponseBodyWriter) async throws {
        try await Self.write(
            [
                .account(ExportLine.Account(id: me.id, email: me.email, createdAt: me.createdAt)),
                .profile(ExportLine.Profile(displayName: me.displayName, photoURL: me.photoURL)),
                .settings(me.settings),
            ],
            to: &writer
        )
        try await writeSessions(of: me.id.uuid, current: session, to: &writer)
        for conversation in try await writeConversations(of: me.id.uuid, to: &writer) {
            try await writeMessages(of: me.id.uuid, in: conversation, to: &writer)
        }
        try await writeScheduled(of: me.id.uuid, to: &writer)
    }

    @concurrent private func writeSessions(
        of person: UUID,
        current: UUID,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        var cursor: String?
        repeat {
            let page = try await identity.sessions(of: person, after: cursor, limit: Self.pageSize)
            try await Self.write(page.sessions.map { .session(ListedSession($0, current: current)) }, to: &writer)
            cursor = page.nextCursor
        } while cursor != nil
    }

    /// - Returns: the conversations, by id; a few bytes of memory for each.
    @concurrent private func writeConversations(
        of person: UUID,
        to writer: inout any ResponseBodyWriter
    ) async throws -> [UUID] {
        var conversations: [UUID] = []
        var place: Queries.MembershipPlace?
        while true {
            let page = try await queries.exportedConversations(of: person, after: place, limit: Self.pageSize)
            try await Self.write(page.lines.map { .conversation($0) }, to: &writer)
            for line in page.lines where conversations.last != line.id.uuid { conversations.append(line.id.uuid) }
            guard page.lines.count == Self.pageSize, let last = page.last else { return conversations }
            place = last
        }
    }

    /// Reads the conversation in spans of bounded length, however few of its messages are the person's.
    @concurrent private func writeMessages(
        of person: UUID,
        in conversation: UUID,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        let head = try await queries.headSeq(of: conversation)
        var seq: Int64 = 0
        while seq < head {
            let page = try await queries.exportedMessages(
                of: person,
                in: conversation,
                after: seq,
                upTo: min(head, seq + Int64(Self.pageSize))
            )
            try await Self.write(page.lines.map { .message($0) }, to: &writer)
            seq = page.readTo
        }
    }

    @concurrent private func writeScheduled(of person: UUID, to writer: inout any ResponseBodyWriter) async throws {
        var cursor: String?
        repeat {
            let page = try await scheduled.list(of: person, after: cursor, limit: Self.pageSize)
            try await Self.write(page.items.compactMap(ScheduledMessage.init).map { .scheduled($0) }, to: &writer)
            cursor = page.nextCursor
        } while cursor != nil
    }

    @concurrent private static func write(_ lines: [ExportLine], to writer: inout any ResponseBodyWriter) async throws {
        var bytes = ByteBuffer()
        for line in lines {
            bytes.writeImmutableBuffer(JSONBody.encode(line))
            bytes.writeStaticString("\n")
            guard bytes.readableBytes >= pieceSize else { continue }
            try await writer.write(bytes)
            bytes = ByteBuffer()
        }
        if bytes.readableBytes > 0 { try await writer.write(bytes) }
    }
}

extension ListedSession {
    init(_ session: DeviceSession, current: UUID) {
        self.init(
            id: WireID(session.id),
            deviceName: session.deviceName,
            createdAt: session.createdAt,
            lastSeenAt: session.lastSeenAt,
            current: session.id == current,
            kind: session.isBrowser ? .cookie : .tokens
        )
    }
}
