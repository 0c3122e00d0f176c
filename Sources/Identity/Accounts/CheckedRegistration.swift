/// A registration whose fields all keep their rules.
struct CheckedRegistration {
    let email: EmailAddress
    let password: Password
    let displayName: String?
    let deviceName: String?

    /// - Throws: `IdentityError.invalid` with all the fields that break a rule.
    init(_ registration: Registration, displayNameRule: DisplayNameRule) throws(IdentityError) {
        var invalid: [InvalidField] = []
        func check<Value>(_ value: () throws(InvalidField) -> Value) -> Value? {
            do { return try value() } catch {
                invalid.append(error)
                return nil
            }
        }
        let email = check { () throws(InvalidField) in
            let email = try EmailAddress(registration.email)
            guard email.hasASCIIDomain else { throw EmailAddress.malformed }
            return email
        }
        let password = check { () throws(InvalidField) in try Password(choosing: registration.password) }
        let displayName = check { () throws(InvalidField) in try registration.displayName.map(displayNameRule.check) }
        let deviceName = check { () throws(InvalidField) in try DeviceName.check(registration.deviceName) }
        guard let email, let password, let displayName, let deviceName else { throw .invalid(invalid) }
        self.email = email
        self.password = password
        self.displayName = displayName
        self.deviceName = deviceName
    }
}
