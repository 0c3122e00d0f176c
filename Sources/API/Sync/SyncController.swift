package import Edge
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
package import Identity
package import Live
import NIOCore
import ParleyWire
package import ReadModels

/// `GET /v1/sync`: all that a client needs to start, or what it has missed since.
package struct SyncController: Sendable {
    private let hub: Hub
    private let identity: Identity
    private let queries: Queries

    package init(hub: Hub, identity: Identity, queries: Queries) {
        self.hub = hub
        self.identity = identity
        self.queries = queries
    }

    package func addRoutes(to group: Routes<CallerContext>) {
        group.read("sync", use: sync)
    }

    @Sendable private func sync(_ request: Request, _ context: CallerContext) async throws -> Representation {
        let query = Query(request.uri.query)
        let since = try query.text("since", atMost: 8_192)
        let limit = try Self.number("limit", in: 1...1_000, of: query) ?? 500
        let window = try Self.number("window", in: 1...200, of: query) ?? 50
        let timelineLimit = try Self.number("timelineLimit", in: 0...200, of: query) ?? 20
        // Thousands of messages may be read and written: not on the connection's event loop, which has others to serve.
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            guard let since else {
                let snapshot = try await snapshot(for: context.callerID, window, timelineLimit)
                return Representation.momentary(ByteBuffer(bytes: JSONWriter.data(of: snapshot)))
            }
            return Representation.momentary(try await delta(for: context.callerID, since: since, limit: limit))
        }
    }

    private static func number(
        _ name: String,
        in range: ClosedRange<Int>,
        of query: Query
    ) throws(HTTPProblem) -> Int? {
        guard let text = try query.text(name) else { return nil }
        guard text.utf8.first != UInt8(ascii: "+"), let number = Int(text), range.contains(number) else {
            let message = "A whole number from \(range.lowerBound) to \(range.upperBound) is expected."
            throw .invalid(parameter: name, .outOfRange, message)
        }
        return number
    }

    // MARK: Snapshot

    @concurrent private func snapshot(
        for caller: UUID,
        _ window: Int,
        _ timelineLimit: Int
    ) async throws -> SyncSnapshot {
        // Before the reading: positions must never be taken for those of an epoch that begins meanwhile.
        let epoch = hub.epoch
        // In the line of those who come back: after a `reset` all come for this.
        let (contact, first) = try await hub.turnstile.pass(as: .newcomer(caller)) {
            guard let contact = try await identity.contact(of: caller) else {
                throw HTTPProblem.unauthenticated("The account no longer exists.")
            }
            let read = try await queries.snapshot(for: caller, window: window, timelineLimit: max(1, timelineLimit))
            return (contact, read)
        }
        var shown = first
        if shown == nil { shown = try await lateSnapshot(for: caller, window, timelineLimit) }
        guard let read = shown else {
            throw HTTPProblem(.unavailable, "The server does not show the account yet.")
        }
        return SyncSnapshot(
            me: read.profile.me(
                email: contact.email,
                isEmailVerified: contact.isVerified,
                presence: Presence(status: hub.presences.status(of: caller))
            ),
            totalUnread: read.totalUnread.all,
            totalUnreadUnmuted: read.totalUnread.unmuted,
            totalMentions: read.totalUnread.mentions,
            conversations: timelineLimit == 0 ? read.entries.map(\.withoutTimeline) : read.entries,
            nextCursor: read.nextCursor,
            users: read.users,
            cursor: try await hub.understood(PositionVector(read.positions)).text(epoch: epoch.id)
        )
    }

    /// Registering answers before the read models know the person.
    private func lateSnapshot(for caller: UUID, _ window: Int, _ timelineLimit: Int) async throws -> Snapshot? {
        try await hub.waitForPresent(of: caller)
        return try await hub.turnstile.pass {
            try await queries.snapshot(for: caller, window: window, timelineLimit: max(1, timelineLimit))
        }
    }

    // MARK: Delta

    @concurrent private func delta(for caller: UUID, since: String, limit: Int) async throws -> ByteBuffer {
        let epoch = hub.epoch
        let start = StreamStart(since, in: epoch)
        guard Cursor(text: since) != nil else {
            throw HTTPProblem.invalid(parameter: "since", .invalid, "A cursor of this server is expected.")
        }
        var body = DeltaBody(epoch: epoch.id, maxEvents: limit, maxBytes: queries.answerBytes)
        guard case .after(let cursor) = try await hub.checked(start) else {
            return try await reset(for: caller, in: epoch, body)
        }
        let reader = try await hub.catchUp.open(caller, from: cursor, to: cursor)
        while let page = try await reader.next() {
            for event in page {
                guard body.add(event) else {
                    for count in try await hub.catchUp.unread(Array(body.conversations), of: caller) { body.add(count) }
                    return body.end(at: body.cursor ?? since, hasMore: true)
                }
            }
        }
        return body.end(at: reader.snapshot.text(epoch: epoch.id), hasMore: false)
    }

    private func reset(for caller: UUID, in epoch: Epoch, _ body: DeltaBody) async throws -> ByteBuffer {
        let opening = try await hub.turnstile.pass(as: .newcomer(caller)) { try await queries.opening(for: caller) }
        let end = try await hub.understood(PositionVector(opening.positions))
        var body = body
        body.add(CatchUp.Event(event: .reset, conversation: nil, vector: end))
        return body.end(at: end.text(epoch: epoch.id), hasMore: false)
    }
}

extension SyncSnapshot.Entry {
    fileprivate var withoutTimeline: SyncSnapshot.Entry {
        let page = PageInfo(
            olderCursor: nil,
            newerCursor: nil,
            hasOlder: !timeline.items.isEmpty || timeline.page.hasOlder,
            hasNewer: false
        )
        return SyncSnapshot.Entry(conversation: conversation, timeline: HistoryPage(items: [], page: page))
    }
}
