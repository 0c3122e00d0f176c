/// The algorithms whose signatures count. What a token names beside them is refused unread, `none` and all that use a shared
/// secret among it.
enum SignatureAlgorithm: String, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
}
