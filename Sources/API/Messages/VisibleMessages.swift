import Edge
import EventSourcing
import EventStore
import Foundation
import Messaging
import ParleyWire
import ReadModels

/// Looks at messages as their readers see them now, for what is done with them beside the log.
struct VisibleMessages {
    let commands: ConversationCommands
    let queries: Queries
    let visibility: Visibility

    /// - Throws: `notFound` for what is not for the person to see.
    func message(_ id: UUID, in conversation: UUID, seenBy person: UUID) async throws -> Message {
        let token = try await self.conversation(conversation, readBy: person)
        // A stream shows messages before the read models do.
        guard try await visibility.reaches(token) else { throw ConversationAnswers.notShownYet }
        guard let message = try await queries.message(id, in: conversation, for: person) else {
            throw HTTPProblem.notFound
        }
        return message
    }

    /// Checks the right to read by the log.
    ///
    /// - Returns: a position at which the conversation stood as it was checked.
    @discardableResult
    func conversation(_ id: UUID, readBy person: UUID) async throws -> Cursor {
        let now = try await commands.handle(.advanceReceipts([]), on: id, by: person) { state in
            Result { () throws(ConversationRejection) in try state.require(.read, by: person) }
        }
        try now.answer.get()
        return now.token
    }
}
