import HTTPTypes

/// All routes, found by the bytes of a path: Hummingbird's router splits paths by characters and compares them with
/// those of every sibling, which took a tenth of what a send costs.
package struct RouteTable: Sendable {
    package let routes: [Route]
    /// By how many components they have; of those that match a path the first is meant.
    private let byCount: [[Route]]

    enum Match {
        case route(Route, PathParameters)
        /// The path is one of ours, for other methods: the value of an `Allow` header.
        case otherMethods(String)
        case nothing

        var route: Route? {
            if case .route(let route, _) = self { route } else { nil }
        }
    }

    package init(_ routes: [Route]) {
        var numbered = routes
        for place in numbered.indices { numbered[place].place = place }
        let routes = numbered
        self.routes = routes
        let longest = routes.map(\.pattern.components.count).max() ?? 0
        byCount = (0...longest).map { count in
            routes.filter { $0.pattern.components.count == count }.sorted { $0.pattern.isBefore($1.pattern) }
        }
    }

    /// A route for GET answers HEAD, too.
    func match(_ method: HTTPRequest.Method, _ path: String) -> Match {
        guard let components = PathComponents(path, atMost: byCount.count - 1) else { return .nothing }
        let effective = method == .head ? .get : method
        for route in byCount[components.count] where route.method == effective && route.pattern.matches(components) {
            return .route(route, PathParameters(route.pattern, components))
        }
        return allowed(components).map { .otherMethods($0) } ?? .nothing
    }

    /// The value of an `Allow` header, or nil where the path is no route at all.
    func allowed(at path: String) -> String? {
        PathComponents(path, atMost: byCount.count - 1).flatMap(allowed)
    }

    private func allowed(_ components: PathComponents) -> String? {
        var methods: Set<String> = []
        for route in byCount[components.count] where route.pattern.matches(components) {
            methods.insert(route.method.rawValue)
            if route.method == .get { methods.insert(HTTPRequest.Method.head.rawValue) }
        }
        return methods.isEmpty ? nil : methods.sorted().joined(separator: ", ")
    }
}
