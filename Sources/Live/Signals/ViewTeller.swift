import Foundation
import Logging
import ParleyWire
import ReadModels

/// Tells the devices that are connected here of views that another process has changed beside the log, such as drafts.
final class ViewTeller: Sendable {
    /// More that wait are forgotten, the oldest first: devices see it when they ask.
    private static let limit = 1_000

    private let queries: Queries
    private let views: AsyncStream<(person: UUID, conversation: UUID)>
    private let waiting: AsyncStream<(person: UUID, conversation: UUID)>.Continuation

    init(queries: Queries) {
        self.queries = queries
        (views, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.limit))
    }

    func changed(of person: UUID, in conversation: UUID) {
        waiting.yield((person, conversation))
    }

    /// Reads and tells, one view after the other, until cancelled.
    func run(telling tell: (UUID, StreamEvent) -> Void) async {
        for await (person, conversation) in views {
            // Where it cannot be read, it is seen when it is asked for.
            guard let me = try? await queries.conversation(conversation, for: person)?.me else { continue }
            tell(person, .memberUpdated(StreamEvent.MemberUpdated(conversationId: WireID(conversation), me: me)))
        }
    }
}
