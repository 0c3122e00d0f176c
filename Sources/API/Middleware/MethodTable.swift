import HTTPTypes
import Hummingbird

/// Which methods each path answers to, asked when none matched: tells a wrong method from a wrong path.
struct MethodTable: Sendable {
    private let routes: [(path: RouterPath, method: HTTPRequest.Method)]

    init(_ routes: [(path: RouterPath, method: HTTPRequest.Method)]) {
        self.routes = routes
    }

    /// The value of an `Allow` header, or nil where the path is no route at all.
    func allowed(at path: String) -> String? {
        let components = path.split(separator: "/", omittingEmptySubsequences: true)
        var methods: Set<String> = []
        for route in routes where Self.matches(route.path, components) {
            methods.insert(route.method.rawValue)
            // Hummingbird answers HEAD wherever there is a GET.
            if route.method == .get { methods.insert(HTTPRequest.Method.head.rawValue) }
        }
        return methods.isEmpty ? nil : methods.sorted().joined(separator: ", ")
    }

    private static func matches(_ path: RouterPath, _ components: [Substring]) -> Bool {
        let pattern = path.description.split(separator: "/")
        guard pattern.count == components.count else { return false }
        return zip(pattern, components).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}
