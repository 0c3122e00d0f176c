import EventStore
import Foundation
import Identity
import Live
import Logging
import Outbound
import Reactors
import ReadModels

/// Who tells webhooks what happens.
extension Server {
    var webhookEngine: WebhookEngine {
        let renderer = OnlookerRenderer(queries: queries)
        return WebhookEngine(
            store: eventStore,
            checkpoints: projecting.checkpoints,
            sender: WebhookSender(client: webhookClient),
            render: { try await renderer.data(of: $0) },
            disabled: { [identity] id, connection in
                try await identity.mailAboutDisabledWebhook(id, on: connection)
            },
            logger: logger
        )
    }
}

extension Configuration {
    /// So many requests to webhooks' servers are under way at once: more than ever are, tests included.
    private static let webhookConnections = 128

    /// Asks the servers of webhooks, which operators name and who knows who runs.
    ///
    /// - Throws: ``ConfigurationError`` where the file with certificates is none.
    func webhookClient(logger: Logger) throws(ConfigurationError) -> OutboundClient {
        try outboundClient(
            .vetted(allowed: outbound.allowedHosts.value ?? .none),
            maximumConnections: Self.webhookConnections,
            logger: logger
        )
    }
}
