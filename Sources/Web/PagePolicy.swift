import HTTPTypes

/// What browsers let the page do: run what comes from this server, and nothing else.
enum PagePolicy {
    /// The fields of the page and of its worker, which asks by the policy that it came with.
    ///
    /// Scripts reach what runs code through the policy `parley` of Trusted Types alone. Pictures and sound may be such as the
    /// page holds itself, before they are sent.
    static let fields: HTTPFields = [
        .contentSecurityPolicy: [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
            "media-src 'self' blob:", "connect-src 'self'", "manifest-src 'self'", "worker-src 'self'",
            "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "trusted-types parley",
        ].joined(separator: "; "),
        name("Cross-Origin-Opener-Policy"): "same-origin",
        .crossOriginResourcePolicy: "same-origin",
        name("Permissions-Policy"): "microphone=(self), camera=(), geolocation=(), payment=(), usb=()",
    ]

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("the names above are tokens") }
        return name
    }
}
