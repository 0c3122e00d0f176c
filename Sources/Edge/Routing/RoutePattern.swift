/// The paths of a route: components that are given, and such that are parameters, as in `/v1/users/{userId}`.
struct RoutePattern: Sendable {
    enum Component: Sendable {
        case literal([UInt8])
        case parameter(String)
    }

    /// With parameters in braces, as in the specification.
    let text: String
    let components: [Component]

    init(_ text: String) {
        components = text.split(separator: "/").map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .parameter(String(part.dropFirst().dropLast())) : .literal(Array(part.utf8))
        }
        self.text = text
    }

    /// Whether components of a path, as many as the pattern has, are such as it describes.
    func matches(_ path: borrowing PathComponents) -> Bool {
        for (index, component) in components.enumerated() {
            if case .literal(let bytes) = component, !path.isEqual(at: index, to: bytes) { return false }
        }
        return true
    }

    /// Whether it should be tried first: where both match, the one with the earlier given component is meant.
    func isBefore(_ other: RoutePattern) -> Bool {
        for (own, others) in zip(components, other.components) {
            switch (own, others) {
            case (.literal, .parameter): return true
            case (.parameter, .literal): return false
            case (.literal, .literal), (.parameter, .parameter): continue
            }
        }
        return false
    }
}
