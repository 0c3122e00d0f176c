import Foundation
import Logging
import ParleyWire
import ReadModels

/// Publishes views that have changed beside the log, such as by a draft, to the devices that are connected here.
///
/// What is published must not be older than what the log has shown of the same view before: its marks are published from
/// the events, at once, and the read models may still have to come as far. So they are waited for, and where more was
/// published meanwhile the view is read again.
final class ViewPublisher: Sendable {
    /// More that wait are forgotten, the oldest first: devices see it when they ask.
    private static let limit = 1_000
    private static let attempts = 10
    /// Views that are published at once.
    private static let width = 8
    private static let timeout: Duration = .seconds(2)

    private let views: AsyncStream<View>
    private let waiting: AsyncStream<View>.Continuation

    private struct View {
        let person: UUID
        let conversation: UUID
    }

    init() {
        (views, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.limit))
    }

    func changed(of person: UUID, in conversation: UUID) {
        waiting.yield(View(person: person, conversation: conversation))
    }

    /// Reads and publishes until cancelled.
    func run(for hub: Hub, _ queries: Queries, _ checkpoints: Checkpoints) async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await view in views {
                if running == Self.width { await group.next() } else { running += 1 }
                // Where it cannot be read, it is seen when it is asked for.
                group.addTask { try? await self.publish(view, for: hub, queries, checkpoints) }
            }
        }
    }

    private func publish(_ view: View, for hub: Hub, _ queries: Queries, _ checkpoints: Checkpoints) async throws {
        for _ in 0..<Self.attempts {
            let (known, partition) = hub.viewsKnown(in: view.conversation)
            let place = [partition: known.position]
            guard try await checkpoints.wait(for: place, timeout: Self.timeout) else { continue }
            guard let me = try await queries.conversation(view.conversation, for: view.person)?.me else { return }
            let event = StreamEvent.MemberUpdated(conversationId: WireID(view.conversation), me: me)
            let block = EventBlock(.memberUpdated(event))
            if hub.publishView(of: view.person, in: view.conversation, block, read: known) { return }
        }
    }
}
