/// Credentials of a push service cannot be used. Says what is wrong, and nothing of what they are.
package struct PushCredentialError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
