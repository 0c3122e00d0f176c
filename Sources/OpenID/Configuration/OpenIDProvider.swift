package import Identity

/// An issuer whose word on who somebody is counts, as those who run the server have named it.
package struct OpenIDProvider: Sendable {
    /// What its routes are called by, such as `google`.
    package let id: String
    /// What people read: "Continue with Google".
    package let name: String
    /// Compared byte by byte with what documents and tokens say.
    package let issuer: String
    /// Of all apps; the first one is this server's own, which browsers sign in with.
    package let clientIDs: [String]
    package let clientSecret: Secret
    /// The certificates to trust in place of the system's.
    package let trustFile: String?
    /// Where the issuer sends browsers back to; nil for the path of this server at the address that the browser has used.
    package let redirectURL: String?

    package init(
        id: String,
        name: String,
        issuer: String,
        clientIDs: [String],
        clientSecret: Secret,
        trustFile: String? = nil,
        redirectURL: String? = nil
    ) {
        self.id = id
        self.name = name
        self.issuer = issuer
        self.clientIDs = clientIDs
        self.clientSecret = clientSecret
        self.trustFile = trustFile
        self.redirectURL = redirectURL
    }

    /// This server's own client.
    var browserClientID: String { clientIDs.first ?? "" }

    /// Where browsers come back to, on this server.
    package var callbackPath: String { "/v1/auth/oidc/\(id)/callback" }
}
