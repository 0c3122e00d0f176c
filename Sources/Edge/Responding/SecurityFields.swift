import HTTPTypes

/// What every answer of an API tells browsers: that it is data, for nobody to show, frame, embed or guess at.
enum SecurityFields {
    /// Adds the fields, built once; but for `Cache-Control` no handler sets any of them, unless it has a policy of its own for
    /// what people have uploaded.
    static func add(to fields: inout HTTPFields) {
        fields.reserveCapacity(fields.count + constant.count + 2)
        let hasOwn = fields.contains(.contentSecurityPolicy)
        for field in constant where !hasOwn || !Self.ownOfFiles.contains(field.name) { fields.append(field) }
        // Answers depend on who asks and when: nothing between us and the client may keep them.
        if !fields.contains(.cacheControl) { fields.append(noStore) }
    }

    /// For answers that came over TLS: the browser shall not try without it for a year.
    static let strictTransportSecurity = HTTPField(name: .strictTransportSecurity, value: "max-age=31536000")

    private static let ownOfFiles: Set<HTTPField.Name> = [.contentSecurityPolicy, .crossOriginResourcePolicy]

    private static let noStore = HTTPField(name: .cacheControl, value: "no-store")

    private static let constant = [
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        HTTPField(name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'"),
        HTTPField(name: .referrerPolicy, value: "no-referrer"),
        HTTPField(name: .frameOptions, value: "DENY"),
        HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
    ]
}
