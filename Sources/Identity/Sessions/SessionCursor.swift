import Foundation

/// Where the next page of a list of sessions begins.
enum SessionCursor {
    static func text(after session: UUID) -> String { Base64URL.encode(session.bytes) }

    static func read(_ text: String) throws(IdentityError) -> UUID {
        guard text.utf8.count <= 32, let bytes = Base64URL.decode(text[...]), let session = UUID(bytes: bytes) else {
            throw .badCursor
        }
        return session
    }
}
