/// What it takes to sign in.
package struct Login: Sendable {
    let email: String
    let password: Secret
    let deviceName: String?

    package init(email: String, password: Secret, deviceName: String? = nil) {
        self.email = email
        self.password = password
        self.deviceName = deviceName
    }
}
