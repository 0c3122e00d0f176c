package import Attachments
package import Edge
package import EventStore
import Foundation
import HTTPTypes
import Hummingbird
package import Identity
package import Live
import ParleyWire

/// `GET /v1/stream`: what happens, as server-sent events.
package struct StreamController: Sendable {
    private let hub: Hub
    private let identity: Identity
    private let eventStore: EventStore
    private let signer: LinkSigner

    package init(hub: Hub, identity: Identity, eventStore: EventStore, signer: LinkSigner) {
        self.signer = signer
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
        // Before the answer begins, as long as it can say when to come back.
        let place = try hub.reserve()
        let epoch = hub.epoch
        let start = StreamStart(request.headers[.lastEventID] ?? since, in: epoch)
        let heartbeatsAreEvents = try query.text("ping") == "event"
        let owner = StreamOwner(
            person: context.caller.userID,
            session: context.caller.sessionID,
            expiresAt: context.caller.tokenExpiresAt
        )
        guard let client = context.connection else {
            throw HTTPProblem(.internal, "A stream needs a connection of its own.")
        }
        return Response(
            status: .ok,
            headers: Self.headers,
            body: ResponseBody { [self] _ in
                try await serve(
                    owner,
                    heartbeatsAreEvents: heartbeatsAreEvents,
                    from: start,
                    in: epoch,
                    with: place,
                    client
                )
            }
        )
    }

    private static let headers: HTTPFields = [
        .contentType: "text/event-stream",
        .cacheControl: "no-cache, no-transform",
        .accelBuffering: "no",
        // What still comes is watched for the client's leaving only, so nothing can follow on this connection.
        .connection: "close",
    ]

    @concurrent private func serve(
        _ owner: StreamOwner,
        heartbeatsAreEvents: Bool,
        from start: StreamStart,
        in epoch: Epoch,
        with place: Turnstile.Place,
        _ client: HTTPConnection
    ) async throws {
        let subscription = hub.open(owner, heartbeatsAreEvents: heartbeatsAreEvents)
        defer { hub.close(subscription) }
        // A write to a client that takes nothing ends with its connection only.
        subscription.onAbort { client.channel.close(promise: nil) }
        client.onInboundClosed { subscription.end(.closed) }
        // A revocation before the hub knew of the stream has not reached it.
        if identity.revocations.isRevoked(owner.session) { hub.end(session: owner.session) }
        let stream = StreamConnection(
            eventStore: eventStore,
            hub: hub,
            subscription: subscription,
            client: client,
            links: signer.links(for: owner.session)
        )
        // The server waits for answers that have begun, so streams must end by themselves.
        client.onServerStopping { [hub] in hub.drain() }
        try await stream.run(from: start, in: epoch, with: place)
        try await client.endAnswer()
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
