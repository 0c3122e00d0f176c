import Foundation

/// What a token has to say to count here (OpenID Connect Core §3.1.3.7).
struct TokenRules: Sendable {
    /// How far the issuer's clock and this machine's may differ.
    private static let tolerance: TimeInterval = 60
    private static let longestSubject = 255

    let issuer: String
    /// The apps that it may be for.
    let clientIDs: [String]

    /// - Parameter nonce: what the token was asked for with; nil where it was asked for without one.
    func check(_ claims: IDTokenClaims, nonce: String?, at now: Date) throws(OpenIDError) {
        guard isIssuer(claims.issuer) else { throw .badToken(.issuer) }
        try checkAudience(claims)
        guard now < claims.expiry.addingTimeInterval(Self.tolerance) else { throw .badToken(.expired) }
        let soon = now.addingTimeInterval(Self.tolerance)
        guard claims.issuedAt <= soon, claims.notBefore ?? claims.issuedAt <= soon else { throw .badToken(.early) }
        // A token with a nonce is an answer to somebody who knows it.
        switch (claims.nonce, nonce) {
        case (nil, nil): break
        case (let actual?, let expected?) where actual.isIdentical(to: expected): break
        default: throw .badToken(.nonce)
        }
        guard (1...Self.longestSubject).contains(claims.subject.utf8.count), !claims.subject.utf8.contains(0) else {
            throw .badToken(.subject)
        }
    }

    /// Google alone also leaves the scheme out (OpenID Connect Core §15.6.2).
    private func isIssuer(_ text: String) -> Bool {
        let google = "accounts.google.com"
        return text.isIdentical(to: issuer) || issuer == "https://\(google)" && text.isIdentical(to: google)
    }

    /// For one of our apps, and for nobody else beside it; asked for by one of them, too.
    private func checkAudience(_ claims: IDTokenClaims) throws(OpenIDError) {
        guard !claims.audiences.isEmpty, claims.audiences.allSatisfy(isOurs) else { throw .badToken(.audience) }
        if let party = claims.authorizedParty {
            guard isOurs(party) else { throw .badToken(.audience) }
        } else if claims.audiences.count > 1 {
            throw .badToken(.audience)
        }
    }

    private func isOurs(_ clientID: String) -> Bool {
        clientIDs.contains { $0.isIdentical(to: clientID) }
    }
}
