/// What it takes to make an account.
package struct Registration: Sendable {
    let email: String
    let password: Secret
    let displayName: String?
    let deviceName: String?

    package init(email: String, password: Secret, displayName: String? = nil, deviceName: String? = nil) {
        self.email = email
        self.password = password
        self.displayName = displayName
        self.deviceName = deviceName
    }
}
