/// The cookie by which a request says who makes it.
struct HeldCookie: Sendable {
    let value: String
    let place: CookiePlace
    /// Whether the answer should renew it.
    var isDue = false
}

extension HeldCookie: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
