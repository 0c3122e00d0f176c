/// The properties of a value of messaging, and of those inside it: whether each holds anything.
///
/// A struct of one property is stored as what it wraps, under the name of whatever holds it.
func properties(of value: Any) -> [String: Bool] {
    var found: [String: Bool] = [:]
    collectProperties(of: value, into: &found)
    return found
}

private func collectProperties(of value: Any, into found: inout [String: Bool]) {
    let mirror = Mirror(reflecting: value)
    let isOurs = mirror.displayStyle == .struct && String(reflecting: mirror.subjectType).hasPrefix("Messaging.")
    for child in mirror.children {
        if isOurs, mirror.children.count > 1, let name = child.label {
            let content = Mirror(reflecting: child.value)
            let isEmpty = content.displayStyle == .optional && content.children.isEmpty
            found[name] = found[name] == true || !isEmpty
        }
        collectProperties(of: child.value, into: &found)
    }
}
