import Edge
import EventSourcing
import EventStore
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import Messaging
import ParleyWire
import ReadModels

/// The caller's own account.
struct MeController {
    let identity: Identity
    let eventStore: EventStore
    let profiles: Profiles
    let queries: Queries
    let presence: PresenceReader
    let privacy: ReadPrivacy
    let eraser: Eraser
    let pictures: Pictures
    let clock: CommandClock

    func addRoutes(to group: Routes<CallerContext>) {
        group.read("me", use: get)
        group.patch("me", use: patch)
        group.delete("me", use: delete)
    }

    @Sendable private func get(_ request: Request, _ context: CallerContext) async throws -> Representation {
        Representation(try await me(context.callerID))
    }

    @Sendable private func patch(_ request: Request, _ context: CallerContext) async throws -> Response {
        let fields = try ProfileFields(try await request.fields(), displayNameRule: identity.displayNameRule)
        var change = fields.change
        if let photo = fields.photo {
            let caller = context.callerID
            change = fields.change(
                to: try await pictures.claim(photo, by: caller, for: caller, isGroup: false, at: "/photoURL")
            )
        }
        var previous: UUID?
        if change.photoURL != .unchanged { previous = try await profiles.photo(of: context.callerID) }
        let handled = try await eventStore.handle(
            .changeProfile(change),
            of: UserDecider.self,
            on: context.callerID,
            context: clock.context(actor: context.callerID),
            answer: { _ in }
        )
        if fields.quietHours != .unchanged {
            try await QuietHoursRows(pool: eventStore.pool).put(fields.quietHours.newValue, of: context.callerID)
        }
        if change.photoURL != .unchanged {
            await pictures.changed(context.callerID, candidates: [previous, fields.photo]) {
                try await profiles.photo(of: context.callerID)
            }
        }
        privacy.changed(context.callerID)
        var me = try await me(context.callerID)
        if let name = fields.change.displayName {
            me.warnings = try await queries.warnings(of: context.callerID, called: name)
        }
        return JSONBody.response(me, headers: [.parleyPosition: handled.token.text])
    }

    /// How long a client waits for the whole erasure; once begun it goes on without it.
    private static let erasureTimeout: Duration = .seconds(5)

    @Sendable private func delete(_ request: Request, _ context: CallerContext) async throws -> Response {
        let caller = context.callerID
        try await confirm(request, context)
        guard try await eraser.begin(caller) else {
            throw HTTPProblem.unauthenticated("The account no longer exists.")
        }
        await withTaskGroup(of: Void.self) { group in
            // What fails or is not done in time is finished by the worker.
            group.addTask { _ = try? await eraser.carryOut(caller) }
            group.addTask { try? await Task.sleep(for: Self.erasureTimeout) }
            await group.next()
            group.cancelAll()
        }
        return context.signedOut(Response(status: .noContent))
    }

    /// An access token or cookie alone, which may be stolen, destroys nothing.
    private func confirm(_ request: Request, _ context: CallerContext) async throws {
        var fields = try await request.optionalFields()
        let password = fields.text("password", 0...TextRules.maxCredential)
        guard fields.areValid else { throw fields.problem }
        if let password { return try await identity.confirm(context.caller, password: Secret(password)) }
        guard try await identity.hasJustSignedIn(context.caller) else {
            let message = "The password is needed, or a sign-in within the last 5 minutes."
            throw HTTPProblem.invalid(pointer: "/password", .required, message)
        }
    }

    private func me(_ id: UUID) async throws -> Me {
        guard let contact = try await identity.contact(of: id) else {
            throw HTTPProblem.unauthenticated("The account no longer exists.")
        }
        var me = try await profiles.me(id, contact)
        me.presence = try await presence.own(id)
        return me
    }
}
