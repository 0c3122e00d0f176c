import HTTPTypes
package import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import ParleyWire

/// The outermost layer: every answer gets its request id and headers here, and every error becomes a problem document.
package struct EdgeResponder: HTTPResponder {
    let rules: EdgeRules
    private let routes: RouteTable
    private let admission: Admission
    private let errors: ErrorMapping
    private let metrics = RequestMetrics()

    package init(routes: RouteTable, admission: Admission, rules: EdgeRules, errors: ErrorMapping) {
        self.routes = routes
        self.admission = admission
        self.rules = rules
        self.errors = errors
    }

    @concurrent package func respond(to request: Request, context: EdgeContext) async throws -> Response {
        try await CurrentRequest.$id.withValue(context.requestID) { try await answer(request, context) }
    }

    private func answer(_ request: Request, _ context: EdgeContext) async throws -> Response {
        let requestID = context.requestID
        let start = ContinuousClock.now
        let match = routes.match(request.method, request.uri.path)
        var response: Response
        do {
            if let preflight = rules.crossOrigin?.preflight(request, routes) {
                response = preflight
            } else {
                response = try await answer(request, context, match)
            }
        } catch let error as HTTPParserError {
            // What follows on this connection is not HTTP: the connection answers 400 and closes.
            throw error
        } catch {
            response = refusal(of: request, for: error, requestID: requestID, logger: context.logger)
        }
        // Whatever it says: what follows the head is taken for the next answer (RFC 9110 §9.3.2).
        if request.method == .head { response = response.createHeadResponse() }
        response.headers[.requestID] = requestID
        addFields(to: &response.headers, request, context)
        let duration = start.duration(to: .now)
        metrics.record(request.method, match.route, status: response.status.code, duration: duration)
        if rules.logsRequests {
            AccessLog(logger: context.logger).record(
                request.method,
                match.route,
                status: response.status.code,
                bytes: response.body.contentLength,
                duration: duration
            )
        }
        return response
    }

    /// Takes note of what its connection answers at once, since it is not HTTP.
    func noteRefusal(_ document: ProblemDocument, logger: Logger) {
        let status = document.head.status.code
        metrics.record(nil, nil, status: status, duration: .zero)
        guard rules.logsRequests else { return }
        AccessLog(logger: logger).record(
            nil,
            nil,
            status: status,
            bytes: document.body.readableBytes,
            duration: .zero,
            // No task works for it.
            more: ["requestID": "\(document.head.headerFields[.requestID] ?? "")"]
        )
    }

    /// Takes note of a request whose connection ends without an answer to it, which is counted by the reason of that.
    func noteUnanswered(_ request: HTTPRequest?, for reason: ConnectionMetrics.Reason, logger: Logger) {
        guard rules.logsRequests else { return }
        let route = request.flatMap { routes.match($0.method, URI($0.path ?? "").path).route }
        AccessLog(logger: logger).recordUnanswered(request?.method, route, reason: reason.rawValue)
    }

    private func answer(
        _ request: Request,
        _ context: EdgeContext,
        _ match: RouteTable.Match
    ) async throws -> Response {
        switch match {
        case .route(let route, let parameters):
            if isSentElsewhere(route, context) {
                throw HTTPProblem(.unavailable, "The server is about to stop: connect again.")
            }
            return try await admission.respond(to: request, context, by: route, parameters, rules)
        case .otherMethods(let allow):
            throw HTTPProblem(.methodNotAllowed, "This path answers to \(allow).", headers: [.allow: allow])
        case .nothing:
            guard let page = rules.missingPage, Self.isBrowsing(request) else { throw HTTPProblem.notFound }
            return page.missing(request)
        }
    }

    /// Whether somebody has followed a link or typed an address that is none of the API's, whose answers are for programs.
    private static func isBrowsing(_ request: Request) -> Bool {
        guard request.method == .get || request.method == .head else { return false }
        let first = request.uri.path.split(separator: "/").first
        return first != "v1" && first != "admin" && request.headers[.accept]?.contains("text/html") == true
    }

    /// Whether the server is about to stop and another one has to answer: what comes on a new connection, and a stream on
    /// any, which would end at once. Those who watch over the server are told how it is to the end.
    private func isSentElsewhere(_ route: Route, _ context: EdgeContext) -> Bool {
        switch route.routeClass {
        case .operation: false
        case .stream: rules.drain.hasBegun
        default: context.connection?.isLate == true
        }
    }

    /// Says why an answer broke off, which the client cannot be told any more.
    func note(_ broken: BrokenAnswer, of context: EdgeContext) {
        context.logger.warning(
            "Answer broke off",
            metadata: errors.metadata(broken.cause).merging(["requestID": "\(context.requestID)"]) { $1 }
        )
    }

    private func addFields(to fields: inout HTTPFields, _ request: Request, _ context: EdgeContext) {
        SecurityFields.add(to: &fields)
        // The next request may be another server's.
        if rules.drain.hasBegun { fields[.connection] = "close" }
        RateFields.add(context.rates.all, to: &fields)
        rules.crossOrigin?.add(to: &fields, for: request)
        if rules.isOverTLS(request, from: context.channel.remoteAddress) {
            fields.append(SecurityFields.strictTransportSecurity)
        }
    }

    private func refusal(of request: Request, for error: any Error, requestID: String, logger: Logger) -> Response {
        let problem = errors.problem(error)
        if (problem.code == .internal || problem.code == .unavailable) && !(error is CancellationError) {
            // Never the error's own words: they may quote what people wrote.
            let level: Logger.Level = problem.isClients ? .debug : problem.code == .internal ? .error : .warning
            logger.log(
                level: level,
                "Request failed",
                metadata: errors.metadata(error).merging(["requestID": "\(requestID)"]) { $1 }
            )
        }
        let document = ProblemDocument(problem, requestID: requestID)
        return Response(
            status: document.head.status,
            headers: document.head.headerFields,
            body: ResponseBody(byteBuffer: document.body)
        )
    }
}
