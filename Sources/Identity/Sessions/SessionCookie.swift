/// A cookie by which a browser holds its session, to be set.
package struct SessionCookie: Sendable, Hashable {
    package let value: Secret
    /// How long the browser keeps it, unless it is renewed.
    package let lifetime: Duration
}
