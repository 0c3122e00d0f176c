import Foundation

/// Where an issuer is asked for what (OpenID Connect Discovery §3).
struct IssuerMetadata: Sendable {
    let authorizationEndpoint: URL
    let tokenEndpoint: URL
    let keysAddress: URL
    /// Whether the client's secret goes into a header; else into the body.
    let takesBasicAuthentication: Bool

    private struct Document: Decodable {
        let issuer: String
        let authorization_endpoint: String
        let token_endpoint: String
        let jwks_uri: String
        let token_endpoint_auth_methods_supported: [String]?
    }

    /// - Throws: `unavailable` where it is no such document, or that of another issuer.
    init(_ document: [UInt8], of issuer: String) throws(OpenIDError) {
        guard let read = try? JSONDecoder().decode(Document.self, from: Data(document)),
            read.issuer.isIdentical(to: issuer), let authorization = Self.address(read.authorization_endpoint),
            let token = Self.address(read.token_endpoint), let keys = Self.address(read.jwks_uri)
        else { throw .unavailable }
        authorizationEndpoint = authorization
        tokenEndpoint = token
        keysAddress = keys
        takesBasicAuthentication = read.token_endpoint_auth_methods_supported?.contains("client_secret_basic") ?? true
    }

    /// The address of the document itself.
    static func address(of issuer: String) -> URL? {
        address((issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration")
    }

    private static func address(_ text: String) -> URL? {
        guard let url = URL(string: text), url.scheme == "https", url.host?.isEmpty == false, url.fragment == nil else {
            return nil
        }
        return url
    }
}
