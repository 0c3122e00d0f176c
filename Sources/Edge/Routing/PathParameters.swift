/// What a path has in the places of its route's parameters, without its percent-encoding.
package struct PathParameters: Sendable {
    private let values: [(name: String, value: String)]

    /// nil where a parameter cannot be read as text: nothing has such a name.
    init?(_ pattern: RoutePattern, _ path: borrowing PathComponents) {
        var values: [(name: String, value: String)] = []
        values.reserveCapacity(pattern.components.count)
        for (index, component) in pattern.components.enumerated() {
            guard case .parameter(let name) = component else { continue }
            guard let value = path.decoded(at: index) else { return nil }
            values.append((name, value))
        }
        self.values = values
    }

    subscript(name: String) -> String? {
        values.first { $0.name == name }?.value
    }
}
