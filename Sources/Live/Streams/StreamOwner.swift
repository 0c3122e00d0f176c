package import Foundation

/// Who opened a stream, and until when the token allows it.
package struct StreamOwner: Sendable {
    let person: UUID
    package let session: UUID
    let expiresAt: Date

    package init(person: UUID, session: UUID, expiresAt: Date) {
        self.person = person
        self.session = session
        self.expiresAt = expiresAt
    }
}
