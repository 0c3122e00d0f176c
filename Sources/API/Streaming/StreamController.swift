package import EventStore
import Foundation
import HTTPTypes
import Hummingbird
package import Identity
import ParleyWire
import ServiceLifecycle

/// `GET /v1/stream`: what happens, as server-sent events.
package struct StreamController: Sendable {
    private let hub: Hub
    private let identity: Identity
    private let eventStore: EventStore

    package init(hub: Hub, identity: Identity, eventStore: EventStore) {
        self.hub = hub
        self.identity = identity
        self.eventStore = eventStore
        identity.revocations.onRevoked { [hub] session in hub.end(session: session) }
    }

    package func addRoutes(to group: Routes<CallerContext>) {
        group.get("stream", use: stream)
    }

    @Sendable private func stream(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = Query(request.uri.query)
        let since = try query.text("since", atMost: 8_192)
        let start = StreamStart(request.headers[.lastEventID] ?? since, of: eventStore.identity)
        let wantsPings = try query.text("ping") == "event"
        let owner = StreamOwner(
            person: context.caller.userID,
            session: context.caller.sessionID,
            expiresAt: context.caller.tokenExpiresAt
        )
        return Response(
            status: .ok,
            headers: Self.headers,
            body: ResponseBody { [self] writer in
                try await serve(owner, wantsPings: wantsPings, from: start, request, context, &writer)
            }
        )
    }

    private static let headers: HTTPFields = [
        .contentType: "text/event-stream",
        .cacheControl: "no-cache, no-transform",
        .accelBuffering: "no",
        // The request's body was watched for the client's leaving, so nothing can follow on this connection.
        .connection: "close",
    ]

    @concurrent private func serve(
        _ owner: StreamOwner,
        wantsPings: Bool,
        from start: StreamStart,
        _ request: Request,
        _ context: CallerContext,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        let subscription = hub.open(owner, wantsPings: wantsPings)
        defer { hub.close(subscription) }
        // A write to a client that takes nothing ends with its connection only.
        subscription.onAbort { [channel = context.channel] in channel.close(promise: nil) }
        // A revocation before the hub knew of the stream has not reached it.
        if identity.revocations.isRevoked(owner.session) { hub.end(session: owner.session) }
        let connection = StreamConnection(eventStore: eventStore, hub: hub, subscription: subscription)
        try await withGracefulShutdownHandler {
            try await request.body.consumeWithInboundCloseHandler { _ in
                try await connection.run(from: start, to: &writer)
            } onInboundClosed: {
                subscription.end(.closed)
            }
        } onGracefulShutdown: { [hub] in
            // Hummingbird waits for open responses, so streams must end by themselves.
            hub.drain()
        }
        try await writer.finish(nil)
    }
}

extension HTTPField.Name {
    static var lastEventID: HTTPField.Name { constant(ParleyHeader.lastEventID) }
    static var accelBuffering: HTTPField.Name { constant("X-Accel-Buffering") }

    private static func constant(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is a header's name") }
        return field
    }
}
