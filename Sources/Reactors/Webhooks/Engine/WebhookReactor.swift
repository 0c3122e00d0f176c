import EventSourcing
import Foundation
import ParleyWire
import Postgres

/// Notes for webhooks that there is something to tell.
struct WebhookReactor: Reactor {
    static let reactorName = "webhooks"

    let name = WebhookReactor.reactorName
    let interest: WebhookInterest
    /// Is told when there may be something to send.
    let wake: @Sendable () -> Void

    func concerns(_ event: RecordedEvent) -> Bool {
        interest.mayBe && WebhookEvents.name(of: event) != nil
    }

    func hasWritten() { wake() }

    func statements(for events: [RecordedEvent], on connection: PostgresConnection) async throws -> [SQL] {
        let news: [(conversation: UUID, event: String, version: Int64)] = events.compactMap { record in
            WebhookEvents.name(of: record).map { (record.stream.id, $0.rawValue, record.version) }
        }
        return news.isEmpty ? [] : [WebhookQueue.note(news)]
    }
}
