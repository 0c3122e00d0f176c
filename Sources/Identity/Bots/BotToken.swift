package import Foundation

/// A bot's token, as it is listed.
package struct BotToken: Sendable, Hashable {
    package let id: UUID
    package let name: String?
    package let scopes: Set<BotScope>
    package let createdAt: Date
    /// To the minute; nil where it was never used.
    package let lastUsedAt: Date?
}
