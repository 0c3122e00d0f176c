/// A password or token on its way through the program: anything that prints it prints a placeholder.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself. Call this only where it is sent, hashed or compared.
    package let exposed: String

    package init(_ exposed: String) {
        self.exposed = exposed
    }

    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    /// `dump` and string interpolation of enclosing types read the mirror.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
