package import Foundation
package import Logging
import Outbound
import ServiceLifecycle

/// All issuers whose word counts here.
package struct OpenIDIssuers: Sendable, Service {
    /// In the order of their names.
    package let all: [OpenIDIssuer]

    package static let none = OpenIDIssuers([])

    private init(_ all: [OpenIDIssuer]) {
        self.all = all
    }

    /// - Throws: ``ProviderFile/Mistake`` for one whose certificates cannot be read.
    package init(
        _ providers: [OpenIDProvider],
        logger: Logger,
        patience: Duration = OpenIDIssuer.patience,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(ProviderFile.Mistake) {
        var all: [OpenIDIssuer] = []
        for provider in providers {
            do {
                all.append(try OpenIDIssuer(provider, logger: logger, patience: patience, now: now))
            } catch {
                throw ProviderFile.Mistake("\(provider.id): caFile holds no certificates that can be read")
            }
        }
        self.all = all
    }

    package subscript(id: String) -> OpenIDIssuer? {
        all.first { $0.provider.id == id }
    }

    /// Keeps connections until the graceful shutdown.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            // Where there is none, too: a service that ends takes the others with it.
            group.addTask { try? await gracefulShutdown() }
            for issuer in all { group.addTask { await issuer.client.run() } }
            await group.waitForAll()
        }
    }
}
