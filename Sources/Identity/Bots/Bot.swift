package import Foundation

/// A program that takes part in conversations as people do. Its name is in the log, like everybody's.
package struct Bot: Sendable, Hashable {
    package let id: UUID
    package let createdAt: Date
    /// Who made it, as the audit names operators.
    package let createdBy: String
    package let isDeactivated: Bool
    /// Those that are good, the oldest first.
    package internal(set) var tokens: [BotToken] = []
}
