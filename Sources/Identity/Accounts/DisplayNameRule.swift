import Confusables
import Foundation

/// What a display name may be: counted in Unicode scalars after trimming, on one line, to be seen, and not reserved.
package struct DisplayNameRule: Sendable {
    package var minimum = 2
    package var maximum = 30
    package var reserved = ReservedNames()

    package init() {}

    /// The name as it is stored.
    package func check(_ name: String) throws(InvalidField) -> String {
        let field = "displayName"
        let name = try TextRule(field: field, minimum: minimum, maximum: maximum).check(name)
        guard !NameSkeleton(name).isBlank else {
            throw InvalidField(field: field, code: .invalid, message: "Shows nothing.")
        }
        guard !reserved.contains(name) else {
            throw InvalidField(field: field, code: .reserved, message: "Is taken for a name that nobody may bear.")
        }
        return name
    }
}
