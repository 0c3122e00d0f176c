import EventStore
import Foundation
import Logging
import ParleyWire
import ReadModels

/// Publishes to people how much they have not read, at most four times a second.
struct UnreadPublisher: Sendable {
    private static let countsAtOnce = 1_000
    /// What changes meanwhile is told together.
    private static let pause: Duration = .milliseconds(250)

    let hub: Hub
    let queries: Queries
    let checkpoints: Checkpoints
    let log: LogIdentity
    let logger: Logger

    /// Works until cancelled.
    ///
    /// - Parameter ticks: come while there is anything to publish.
    func run(at ticks: AsyncStream<Void>) async {
        for await _ in ticks {
            let (pending, epoch) = hub.takeUnread(projected: checkpoints.positions)
            let keys = pending.flatMap { pending in
                pending.people.map { UnreadKey(user: $0, conversation: pending.conversation) }
            }
            for start in stride(from: 0, to: keys.count, by: Self.countsAtOnce) {
                await publish(Array(keys[start..<min(keys.count, start + Self.countsAtOnce)]), in: epoch)
            }
            // Ends early only by cancellation, which ends the ticks, too.
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func publish(_ keys: [UnreadKey], in epoch: Epoch) async {
        do {
            for unread in try await queries.unread(keys) {
                hub.send(to: unread.key.user, EventBlock(.unreadUpdated(unread.event)), in: epoch)
            }
        } catch {
            guard !Task.isCancelled else { return }
            logger.warning("unread counts cannot be read", metadata: ErrorMetadata.describing(error))
            for key in keys {
                hub.retryUnread(key.user, in: key.conversation, log.partition(of: key.conversation))
            }
        }
    }
}
