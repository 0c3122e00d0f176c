package import Foundation

/// Asks for the messages to go whose time is over: what the server itself asks, in nobody's name.
package struct ExpireMessages: Sendable, Equatable {
    /// How many may be asked for at once: no more than a conversation remembers changes of.
    package static let limit = 50

    package let messages: [MessageFacts]
    package let now: Date

    package init(messages: [MessageFacts], now: Date) {
        self.messages = messages
        self.now = now
    }
}
