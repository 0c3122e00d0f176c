import Foundation
import ParleyWire

/// One line of a chat log.
struct LogLine: Decodable, Sendable {
    enum Kind: String, Decodable, Sendable {
        case message, join, leave, rename
    }

    /// The number in the source; replies point at it.
    let line: Int
    /// Renames have none.
    let at: Date?
    let kind: Kind
    let sender: String
    let text: String?
    let replyTo: Int?
    let newName: String?
}
