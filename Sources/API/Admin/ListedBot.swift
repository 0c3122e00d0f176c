import Foundation
import Identity
import ParleyWire

/// A bot, as operators see it.
struct ListedBot: Codable, Hashable, Sendable {
    let id: WireID
    /// null until the read models know it.
    @Nullable var displayName: String?
    let createdAt: Date
    let createdBy: String
    let deactivated: Bool
    let tokens: [Token]

    struct Token: Codable, Hashable, Sendable {
        let id: WireID
        @Nullable var name: String?
        let scopes: [String]
        let createdAt: Date
        @Nullable var lastUsedAt: Date?
        /// In the answer that makes it, and never again.
        var token: String?

        init(_ token: BotToken, text: Secret? = nil) {
            id = WireID(token.id)
            name = token.name
            scopes = token.scopes.map(\.rawValue).sorted()
            createdAt = token.createdAt
            lastUsedAt = token.lastUsedAt
            self.token = text?.exposed
        }
    }

    init(_ bot: Bot, displayName: String?) {
        id = WireID(bot.id)
        self.displayName = displayName
        createdAt = bot.createdAt
        createdBy = bot.createdBy
        deactivated = bot.isDeactivated
        tokens = bot.tokens.map { Token($0) }
    }
}
