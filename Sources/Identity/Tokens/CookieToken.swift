import Crypto
import Foundation

/// What a browser's cookie holds: the session's id and 256 secret bits.
///
/// As text it has a seal beside them that only this installation can make, which tells an invented one without asking the
/// database.
struct CookieToken: Sendable {
    let sessionID: UUID
    let secret: [UInt8]

    /// What the database knows of it. The seal is no part of it, and may be made anew under another key.
    var hash: [UInt8] { Array(SHA256.hash(data: content)) }

    var content: [UInt8] { sessionID.bytes + secret }
}

extension CookieToken: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
