/// What a display name may be: counted in Unicode scalars after trimming, on one line, to be seen, and not reserved.
package struct DisplayNameRule: Sendable {
    package var minimum = 2
    package var maximum = 30
    package var reserved = ReservedNames()

    package init() {}

    /// The name as it is stored.
    package func check(_ name: String) throws(InvalidField) -> String {
        let name = try checkForm(name)
        guard !reserved.contains(name) else {
            throw InvalidField(field: Self.field, code: .reserved, message: "Is taken for a name that nobody may bear.")
        }
        return name
    }

    /// The name as it is stored, be it reserved or not.
    func checkForm(_ name: String) throws(InvalidField) -> String {
        try TextRule(field: Self.field, minimum: minimum, maximum: maximum).check(name)
    }

    private static let field = "displayName"
}
