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

/// Where the components of a path lie; empty ones are passed over.
struct PathComponents {
    private let path: [UInt8]
    private var ranges: [Range<Int>] = []

    /// nil for a path that has more components than any route.
    init?(_ path: String, atMost limit: Int) {
        self.path = Array(path.utf8)
        ranges.reserveCapacity(limit)
        var start = 0
        for (index, byte) in self.path.enumerated() where byte == UInt8(ascii: "/") {
            if start < index { ranges.append(start..<index) }
            guard ranges.count <= limit else { return nil }
            start = index + 1
        }
        if start < self.path.count { ranges.append(start..<self.path.count) }
        guard ranges.count <= limit else { return nil }
    }

    var count: Int { ranges.count }

    func isEqual(at index: Int, to bytes: [UInt8]) -> Bool {
        let range = ranges[index]
        return range.count == bytes.count && path[range].elementsEqual(bytes)
    }

    func text(at index: Int) -> String {
        String(decoding: path[ranges[index]], as: UTF8.self)
    }
}

/// What a path has in the places of its route's parameters, as the client wrote it.
package struct PathParameters: Sendable {
    private let values: [(name: String, value: String)]

    init(_ pattern: RoutePattern, _ path: borrowing PathComponents) {
        var values: [(name: String, value: String)] = []
        for (index, component) in pattern.components.enumerated() {
            if case .parameter(let name) = component { values.append((name, path.text(at: index))) }
        }
        self.values = values
    }

    subscript(name: String) -> String? {
        values.first { $0.name == name }?.value
    }
}
