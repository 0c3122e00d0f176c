package import Foundation
import HTTPTypes
import Hummingbird
package import Identity
package import ParleyWire

/// Lets a request through to its route: who asks, how often, and from when on the answer can be right.
package struct Admission: Sendable {
    /// Waits until reads show what the value of `Parley-Wait-For` names.
    package typealias WaitForPosition = @Sendable (String) async throws -> Void
    /// Takes note of who has done something, rather than looked or had a device acknowledge.
    package typealias NoteActivity = @Sendable (AuthenticatedUser) -> Void

    /// Whose session a URL was made for; nil where it was made for none.
    package typealias ReadLink =
        @Sendable (
            _ path: String, _ query: String?, _ beforeQuery: @Sendable (_ account: UUID) async throws -> Void
        ) async throws -> AuthenticatedUser?
    /// The URLs of files for a caller.
    package typealias MakeLinks = @Sendable (AuthenticatedUser) -> AttachmentLinks

    private let identity: Identity
    private let gate: RateGate
    private let cookies: SessionCookies
    private let waitForPosition: WaitForPosition
    private let noteActivity: NoteActivity
    private let readLink: ReadLink
    private let makeLinks: MakeLinks?

    package init(
        identity: Identity,
        gate: RateGate,
        cookies: SessionCookies,
        waitForPosition: @escaping WaitForPosition,
        noteActivity: @escaping NoteActivity = { _ in },
        readLink: @escaping ReadLink = { _, _, _ in nil },
        makeLinks: MakeLinks? = nil
    ) {
        self.readLink = readLink
        self.makeLinks = makeLinks
        self.identity = identity
        self.gate = gate
        self.cookies = cookies
        self.waitForPosition = waitForPosition
        self.noteActivity = noteActivity
    }

    func respond(
        to request: Request,
        _ context: EdgeContext,
        by route: Route,
        _ parameters: PathParameters,
        _ rules: EdgeRules
    ) async throws -> Response {
        switch route.handler {
        case .open(let handler):
            try await count(request, context, route, by: nil)
            try admitBody(of: request, context, route, from: address(of: request, context))
            let response = try await handler(request, context.having(parameters))
            guard route.routeClass.holdsAnswers else { return response }
            let memory = AnswerMemory(budget: rules.answers, caller: address(of: request, context))
            return try Self.holding(response, to: request, route, within: memory)
        case .operated(let handler):
            let memory = AnswerMemory(budget: rules.operatorAnswers, caller: address(of: request, context))
            return try await operate(request, context, route, parameters, within: memory, by: handler)
        case .signedIn(let handler), .linked(let handler):
            let (caller, cookie) = try await authenticate(request, context, route)
            try Self.checkScope(of: caller, route)
            try await count(request, context, route, by: caller)
            try admitBody(of: request, context, route, from: .person(caller.userID))
            try await waitForPosition(request, route)
            if Self.onlyReads(request, route) {
                context.connection?.onlyReads()
            } else if route.routeClass != .receipts {
                noteActivity(caller)
            }
            let memory = AnswerMemory(budget: rules.answers, caller: .person(caller.userID))
            let callerContext = CallerContext(
                channel: context.channel,
                connection: context.connection,
                caller: caller,
                rates: context.rates,
                answers: memory,
                parameters: parameters,
                cookie: cookie
            )
            let respond = {
                let response = try await AttachmentLinks.$current.withValue(makeLinks?(caller)) {
                    try await handler(request, callerContext)
                }
                return try Self.holding(await renewing(cookie, route, response), to: request, route, within: memory)
            }
            guard route.routeClass.takesTurns else { return try await respond() }
            return try await rules.readTurns.pass(of: .person(caller.userID), respond)
        }
    }

    /// The answer, which counts for its caller until the client has taken it.
    private static func holding(
        _ response: Response,
        to request: Request,
        _ route: Route,
        within memory: AnswerMemory
    ) throws -> Response {
        guard request.method != .head else { return response }
        var response = response
        do {
            try response.hold(within: memory)
        } catch  where !Self.onlyReads(request, route) {
            // What is done is said, whatever that takes: who is refused would do it once more.
        }
        return response
    }

    /// Whom a request counts for where it is not known who asks.
    private func address(of request: Request, _ context: EdgeContext) -> RateSubject {
        .network(gate.network(of: request, context))
    }

    /// Lets an operator through. Failures are counted by address, as forged tokens are.
    private func operate(
        _ request: Request,
        _ context: EdgeContext,
        _ route: Route,
        _ parameters: PathParameters,
        within memory: AnswerMemory,
        by handler: RouteHandler<OperatorContext>
    ) async throws -> Response {
        try await count(request, context, route, by: nil)
        guard let token = BearerToken.of(request.headers.single(.authorization)) else {
            throw HTTPProblem.unauthenticated("An operator's token is needed: Authorization: Bearer parley_op_….")
        }
        let caller = try await identity.authenticate(
            operatorToken: token,
            beforeCheck: { try gate.requireTrust(in: gate.network(of: request, context)) },
            onForgery: { gate.noteForgery(from: gate.network(of: request, context)) }
        )
        guard caller.scope == .act || Self.onlyReads(request, route) else {
            throw HTTPProblem(.forbidden, "This token may only read.")
        }
        try admitBody(of: request, context, route, from: address(of: request, context))
        let operatorContext = OperatorContext(caller: caller, answers: memory, parameters: parameters)
        return try Self.holding(try await handler(request, operatorContext), to: request, route, within: memory)
    }

    private static func checkScope(of caller: AuthenticatedUser, _ route: Route) throws(HTTPProblem) {
        guard let scopes = caller.botScopes else { return }
        guard let needed = route.routeClass.botScope else {
            throw HTTPProblem(.forbidden, "This is not for bots.")
        }
        guard scopes.contains(needed) else {
            throw HTTPProblem(.forbidden, "This token has not the scope \"\(needed.rawValue)\".")
        }
    }

    private func authenticate(
        _ request: Request,
        _ context: EdgeContext,
        _ route: Route
    ) async throws -> (AuthenticatedUser, HeldCookie?) {
        let cookie = cookies.cookie(of: request, from: context.channel.remoteAddress)
        if request.headers.contains(.authorization) {
            // Who of the two is meant is not for the server to guess.
            guard cookie == nil else {
                throw HTTPProblem.malformed("Either an access token says who asks, or a cookie: not both.")
            }
            return (try await authenticateByToken(request, context, route), nil)
        }
        if case .linked = route.handler {
            let caller = try await readLink(request.uri.path, request.uri.query) { person in
                try await requireRoom(route.routeClass.policy, for: person, context)
            }
            if let caller { return (caller, nil) }
        }
        if let cookie { return try await authenticate(request, by: cookie) }
        guard case .linked = route.handler else { return (try await authenticateByToken(request, context, route), nil) }
        throw HTTPProblem.unauthenticated("An access token is needed, or a URL that still holds.")
    }

    /// Finds out who asks, by a browser's cookie. Cookies come along by themselves, and so count on requests of this server's
    /// own pages alone.
    private func authenticate(
        _ request: Request,
        by cookie: HeldCookie
    ) async throws -> (AuthenticatedUser, HeldCookie?) {
        let isRead = request.method == .get || request.method == .head
        guard isRead ? RequestSite.mayRead(request) : RequestSite.isOwn(request, at: cookie.place) else {
            throw HTTPProblem(.forbidden, "A cookie counts on requests of this server's own pages alone.")
        }
        do {
            let (caller, isDue) = try await identity.authenticate(cookie: cookie.value)
            var cookie = cookie
            cookie.isDue = isDue
            return (caller, cookie)
        } catch IdentityError.unauthenticated {
            // The cookie is not taken away: another tab may have signed in meanwhile, and the browser would lose that session's.
            throw HTTPProblem.unauthenticated("The session has ended: sign in again.")
        }
    }

    /// The answer, with which the browser keeps its session longer where that is due. What caches may keep sets no cookie.
    private func renewing(_ cookie: HeldCookie?, _ route: Route, _ response: Response) async -> Response {
        guard let cookie, cookie.isDue, !response.headers.contains(.setCookie) else { return response }
        if case .linked = route.handler { return response }
        guard let renewed = await identity.renew(cookie: cookie.value) else { return response }
        var response = response
        response.headers.append(cookie.place.setting(renewed))
        return response
    }

    /// Finds out who asks, by the access token of the `Authorization` header.
    ///
    /// Forging costs nothing and checking a signature does: where too many bad ones came from an address, none from there
    /// is checked for a while. Tokens that were right before are known without a check.
    private func authenticateByToken(
        _ request: Request,
        _ context: EdgeContext,
        _ route: Route
    ) async throws -> AuthenticatedUser {
        guard let token = BearerToken.of(request.headers.single(.authorization)) else {
            throw HTTPProblem.unauthenticated("An access token is needed: Authorization: Bearer <accessToken>.")
        }
        return try await identity.authenticate(
            bearer: token,
            beforeCheck: { try gate.requireTrust(in: gate.network(of: request, context)) },
            beforeQuery: { try await requireRoom(route.routeClass.botPolicy, for: $0, context) },
            onForgery: { gate.noteForgery(from: gate.network(of: request, context)) }
        )
    }

    /// Refuses whoever has asked too often already, before the database is asked for it.
    private func requireRoom(_ policy: RatePolicy?, for person: UUID, _ context: EdgeContext) async throws {
        guard let policy, policy.scope == .person else { return }
        try await gate.requireRoom(policy, for: .person(person), noting: context.rates)
    }

    /// Holds a body that is still to come to what its route takes.
    private func admitBody(
        of request: Request,
        _ context: EdgeContext,
        _ route: Route,
        from caller: @autoclosure () -> RateSubject
    ) throws {
        try request.checkLength(route.body)
        context.connection?.expect(route.body, from: caller())
    }

    /// Counts the request by the class of its route, before its body is read.
    private func count(
        _ request: Request,
        _ context: EdgeContext,
        _ route: Route,
        by caller: AuthenticatedUser?
    ) async throws {
        let isBot = caller?.botScopes != nil
        guard let policy = isBot ? route.routeClass.botPolicy : route.routeClass.policy else { return }
        let subject: RateSubject =
            if policy.scope == .person, let caller {
                .person(caller.userID)
            } else {
                address(of: request, context)
            }
        try await gate.pass(policy, for: subject, noting: context.rates)
    }

    /// Honours `Parley-Wait-For` on every request that only reads.
    private func waitForPosition(_ request: Request, _ route: Route) async throws {
        guard Self.onlyReads(request, route), let token = request.headers[.parleyWaitFor] else { return }
        try await waitForPosition(token)
    }

    /// A search is a POST for its length alone.
    private static func onlyReads(_ request: Request, _ route: Route) -> Bool {
        request.method == .get || request.method == .head || route.routeClass == .search
    }
}

/// The token of a header such as `Bearer abc`; the scheme's case does not matter (RFC 9110 §11.1).
enum BearerToken {
    private static let usualScheme = Array("Bearer ".utf8)

    static func of(_ header: String?) -> String? {
        guard let header else { return nil }
        // As nearly everybody writes it.
        if header.utf8.starts(with: usualScheme) {
            return String(header.utf8.dropFirst(usualScheme.count).drop { $0 == UInt8(ascii: " ") })
        }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1].drop { $0 == " " })
    }
}
