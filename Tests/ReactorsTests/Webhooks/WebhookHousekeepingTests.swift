import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Reactors

@Suite(.database, .timeLimit(.minutes(10))) struct WebhookHousekeepingTests {
    @Test func `tries are kept for 30 days, and go in pieces`() async throws {
        try await WebhookScene.with { scene in
            try await WebTestServer.with { _ in
                .answer(status: 204)
            } _: { server in
                let webhook = try await scene.add(server)
                // Seven that are old, and two that are not yet.
                try await scene.log.store.pool.execute(
                    """
                    INSERT INTO parley.webhook_deliveries (at, position, webhook_id, conversation_id, partition, attempt,
                        milliseconds, status, message_id, event)
                    SELECT now() - interval '30 days' + CASE WHEN x.n <= 7 THEN interval '-1 s' ELSE interval '1 hour' END,
                        x.n, \(webhook.id), gen_random_uuid(), 0, 1, 1, 204, 'evt_' || x.n, 'message.created'
                    FROM generate_series(1, 9) AS x (n)
                    """
                )
                let deliveries = WebhookDeliveries(pool: scene.log.store.pool)
                #expect(try await deliveries.clean(atMost: 3))
                #expect(try await scene.count("parley.webhook_deliveries") == 6)
                #expect(try await deliveries.clean(atMost: 3))
                #expect(try await !deliveries.clean(atMost: 3))
                let left = try await deliveries.page(of: webhook.id, before: nil, limit: 10)
                #expect(left.map(\.position) == [9, 8])
            }
        }
    }
}
