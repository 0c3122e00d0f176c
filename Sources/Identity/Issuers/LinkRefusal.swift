/// Why an issuer's word opens no account, though it is genuine.
package enum LinkRefusal: Error, Equatable, Sendable {
    /// Nobody has come by it before, and it names no address that the issuer has verified.
    case noVerifiedEmail
    /// An account has the address without having proved it: whoever made it may have done so to wait for the owner.
    case addressUnproved
    /// The account with the address belongs to another subject of the issuer, who had the address before.
    case addressOfAnother
}
