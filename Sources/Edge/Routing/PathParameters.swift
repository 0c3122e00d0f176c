/// What a path has in the places of its route's parameters, without its percent-encoding.
package struct PathParameters: Sendable {
    private let values: [(name: String, value: String?)]

    init(_ pattern: RoutePattern, _ path: borrowing PathComponents) {
        var values: [(name: String, value: String?)] = []
        values.reserveCapacity(pattern.components.count)
        for (index, component) in pattern.components.enumerated() {
            guard case .parameter(let name) = component else { continue }
            values.append((name, path.decoded(at: index)))
        }
        self.values = values
    }

    /// nil also where a parameter cannot be read as text: nothing has such a name, and nothing can be made under it.
    subscript(name: String) -> String? {
        values.first { $0.name == name }?.value
    }
}
