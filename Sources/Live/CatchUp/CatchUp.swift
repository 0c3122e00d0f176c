import Edge
import EventStore
package import Foundation
package import ParleyWire
import ReadModels

/// Serves clients that come back, or fell behind, from the log.
package struct CatchUp: Sendable {
    /// Something to tell, and how far the client has come with it; nil for what stands outside the order of events.
    package struct Event: Sendable {
        package let event: StreamEvent
        /// The conversation that it is about.
        package let conversation: UUID?
        package let vector: PositionVector?

        /// Whether it belongs to what follows it, and must not be the last that a client gets: who is cut in between gets
        /// both again.
        package let isPreface: Bool

        package init(event: StreamEvent, conversation: UUID?, vector: PositionVector?) {
            self.event = event
            self.conversation = conversation
            self.vector = vector
            isPreface = false
        }

        init(preface event: StreamEvent) {
            self.event = event
            conversation = nil
            vector = nil
            isPreface = true
        }
    }

    private static let timeout: Duration = .seconds(10)
    private static let preferredTimeout: Duration = .seconds(2)

    let eventStore: EventStore
    let queries: Queries
    let checkpoints: Checkpoints
    /// All catch-ups of the process share one.
    let turnstile: Turnstile
    let passedOver: PassedOverEvents
    /// How much of what the read models show this program understands.
    let understood: @Sendable (PositionVector) async throws -> PositionVector

    /// Finds out where now is, and what has changed until then.
    ///
    /// - Parameters:
    ///   - start: how far the client has come; nil for one that begins now.
    ///   - goal: the read models are waited for until they have come this far.
    ///   - preferred: they are waited for a little longer, so that counts and all are told before the client is up to
    ///     date; where projecting is paused, the hub tells the rest.
    ///   - admission: as what it comes to the line.
    /// - Throws: a problem where they do not in time, or too many others come back; database errors.
    package func open(
        _ person: UUID,
        from start: PositionVector?,
        to goal: PositionVector,
        preferably preferred: PositionVector? = nil,
        as admission: Turnstile.Admission? = nil
    ) async throws -> CatchUpReader {
        let goal = start.map { goal.advanced(to: $0) } ?? goal
        if let preferred {
            _ = try await checkpoints.wait(for: preferred.byPartition, timeout: Self.preferredTimeout)
        }
        // A second look, in case the database has lost the newest commits of the projector in a crash.
        for _ in 0..<2 {
            guard try await checkpoints.wait(for: goal.byPartition, timeout: Self.timeout) else { break }
            let opening = try await turnstile.pass(as: admission ?? .newcomer(person)) {
                try await queries.opening(for: person)
            }
            guard PositionVector(opening.positions).covers(goal) else { continue }
            let end = try await understood(PositionVector(opening.positions))
            guard end.covers(goal) else { throw Self.beyondUnderstanding }
            return CatchUpReader(of: person, from: start, upTo: end, opening: opening, catchUp: self)
        }
        throw HTTPProblem(.unavailable, "The server does not show the given position yet.")
    }

    private static let beyondUnderstanding = HTTPProblem(
        .unavailable,
        "The position lies beyond an event that a newer version of the server has written: this one cannot go on from it."
    )

    /// The present counts of some conversations.
    package func unread(_ conversations: [UUID], of person: UUID) async throws -> [Event] {
        let keys = conversations.map { UnreadKey(user: person, conversation: $0) }
        return try await turnstile.pass { try await queries.unread(keys) }.map {
            Event(event: .unreadUpdated($0.event), conversation: $0.key.conversation, vector: nil)
        }
    }
}
