package import Foundation

/// What processes tell each other of presence, by hints: any of it may be lost.
package struct PresenceNews: Sendable, Equatable {
    /// For offline, where the person has said so and is not waited for.
    static let goodbye: UInt8 = 3

    /// What the process says of people, 0 for offline, 1 for away, 2 for online, 3 for goodbye: what has changed, and a part of
    /// all else.
    package var statuses: [UUID: UInt8]
    /// What sessions said or did whose streams are elsewhere.
    package var words: [Word]
    /// Sessions that asked to be told of others, and whose they are.
    package var sessions: [UUID: UUID]
    /// Whether the process knows nothing yet and asks for everything.
    package var asks: Bool

    package struct Word: Sendable, Hashable {
        package let session: UUID
        package let person: UUID
        /// Nil for something done.
        package let status: UInt8?

        package init(_ status: UInt8?, _ session: UUID, of person: UUID) {
            self.session = session
            self.person = person
            self.status = status
        }
    }

    package init(
        statuses: [UUID: UInt8] = [:],
        words: [Word] = [],
        sessions: [UUID: UUID] = [:],
        asks: Bool = false
    ) {
        self.statuses = statuses
        self.words = words
        self.sessions = sessions
        self.asks = asks
    }

    package var isEmpty: Bool { statuses.isEmpty && words.isEmpty && sessions.isEmpty && !asks }
}
