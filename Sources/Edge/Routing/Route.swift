package import HTTPTypes
package import Hummingbird

/// A route: what is done for a method at the paths of a pattern, and how it is counted.
package struct Route: Sendable {
    package let method: HTTPRequest.Method
    let pattern: RoutePattern
    let routeClass: RouteClass
    let handler: Handler
    let body: BodyRule
    /// Its place among all routes.
    var place = 0

    /// The pattern of its paths, such as `/v1/users/{userId}`.
    package var path: String { pattern.text }

    package enum Handler: Sendable {
        case open(RouteHandler<EdgeContext>)
        /// For signed-in callers only.
        case signedIn(RouteHandler<CallerContext>)
        /// For signed-in callers, and for those who bring a URL that was made for a session.
        case linked(RouteHandler<CallerContext>)
        /// For operators only; what changes something needs their leave to act.
        case operated(RouteHandler<OperatorContext>)
    }

    init(
        _ method: HTTPRequest.Method,
        _ pattern: RoutePattern,
        _ handler: Handler,
        routeClass: RouteClass = .command,
        body: BodyRule? = nil
    ) {
        self.method = method
        self.pattern = pattern
        self.routeClass = routeClass
        self.handler = handler
        self.body = body ?? routeClass.body
    }
}

package typealias RouteHandler<Context> = @Sendable (Request, Context) async throws -> Response

/// Takes the routes that controllers lay out, under one beginning of their paths.
package final class Routes<Context> {
    /// What a route costs and guards, by its method and the pattern of its paths; nil where that was forgotten.
    package typealias ClassOfRoute = (HTTPRequest.Method, String) -> RouteClass?

    private let beginning: String
    private let classOf: ClassOfRoute
    private let handler: (@escaping RouteHandler<Context>) -> Route.Handler
    package private(set) var all: [Route] = []

    package init(
        at beginning: String,
        classOf: @escaping ClassOfRoute,
        _ handler: @escaping (@escaping RouteHandler<Context>) -> Route.Handler
    ) {
        self.beginning = beginning
        self.classOf = classOf
        self.handler = handler
    }

    /// - Parameter body: what it takes as a body, where that is not what its class does.
    package func on(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: BodyRule? = nil,
        use handler: @escaping RouteHandler<Context>
    ) {
        let pattern = RoutePattern("\(beginning)/\(path)")
        // A route that was forgotten is limited like any other change.
        let routeClass = classOf(method, pattern.text) ?? .command
        all.append(Route(method, pattern, self.handler(handler), routeClass: routeClass, body: body))
    }

    package func get(_ path: String, use handler: @escaping RouteHandler<Context>) {
        on(.get, path, use: handler)
    }

    package func put(_ path: String, use handler: @escaping RouteHandler<Context>) {
        on(.put, path, use: handler)
    }

    package func post(_ path: String, use handler: @escaping RouteHandler<Context>) {
        on(.post, path, use: handler)
    }

    package func patch(_ path: String, use handler: @escaping RouteHandler<Context>) {
        on(.patch, path, use: handler)
    }

    package func delete(_ path: String, use handler: @escaping RouteHandler<Context>) {
        on(.delete, path, use: handler)
    }
}
