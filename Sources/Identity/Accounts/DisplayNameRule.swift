import Foundation

/// What a display name may be: counted in Unicode scalars after trimming, on one line.
package struct DisplayNameRule: Sendable {
    package var minimum = 2
    package var maximum = 30

    package init() {}

    /// The name as it is stored.
    package func check(_ name: String) throws(InvalidField) -> String {
        try TextRule(field: "displayName", minimum: minimum, maximum: maximum).check(name)
    }
}
