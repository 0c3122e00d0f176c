package import Foundation

/// What a browser keeps, sealed, while its person signs in elsewhere.
package struct SignInAttempt: Codable, Hashable, Sendable {
    /// So long somebody may take to sign in with the issuer.
    package static let lifetime: TimeInterval = 10 * 60

    package let provider: String
    package let state: String
    package let nonce: String
    package let verifier: String
    /// Where the issuer sends the browser back to.
    package let redirectURL: String
    /// The path that is shown then.
    package let returnTo: String
    /// What the session is to be called.
    package let deviceName: String?
    package let expiresAt: Date

    package init(
        provider: String,
        state: String,
        nonce: String,
        verifier: String,
        redirectURL: String,
        returnTo: String,
        deviceName: String?,
        expiresAt: Date
    ) {
        self.provider = provider
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.redirectURL = redirectURL
        self.returnTo = returnTo
        self.deviceName = deviceName
        self.expiresAt = expiresAt
    }
}

extension SignInAttempt: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
