import Foundation

/// Who opened a stream, and until when the token allows it.
struct StreamOwner: Sendable {
    let person: UUID
    let session: UUID
    let expiresAt: Date
}
