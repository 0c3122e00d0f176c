import Edge
import EventSourcing
import EventStore
import Foundation
import Hints
import Identity
import Live
import Logging
import Messaging
import OpenID
import Postgres
import ReadModels
import Web

/// How the parts are joined.
extension Server {
    /// Joins the hints of other processes to what follows them, and what this one does to its hints.
    static func openHints(
        _ database: PostgresConfiguration,
        _ eventStore: EventStore,
        _ identity: Identity,
        _ hub: Hub,
        _ projecting: Projecting,
        _ logger: Logger
    ) -> HintChannel {
        let formats = eventStore.formats
        let hints = HintChannel(
            process: formats.process,
            database: database,
            isAlone: { formats.isAlone },
            logger: logger
        )
        let (feed, revocations) = (eventStore.feed, identity.revocations)
        let (presences, sessions) = (hub.presences, eventStore.sessions)
        hints.onHints { hints, process in
            // Who begins asks what the others say of presence, and is answered before they have counted it.
            formats.noteOther()
            if hints.asksForPresence {
                // It begins, or is back, and has told nobody of what it did before.
                feed.hintOfGap()
                revocations.hint()
            }
            feed.hint(hints.heads)
            if !hints.projected.isEmpty { projecting.follower.hint(hints.projected) }
            if hints.haveLeasesChanged {
                projecting.leases?.hint()
                sessions.hint()
            }
            if hints.haveSessionsEnded { revocations.hint() }
            for typing in hints.typing {
                hub.publishTyping(typing.isTyping, by: typing.person, in: typing.conversation)
            }
            for view in hints.views { hub.viewChanged(of: view.person, in: view.conversation) }
            presences.receive(PresenceNews(hints), from: process)
        }
        hints.onGap {
            feed.hintOfGap()
            revocations.hint()
            presences.hintOfGap()
        }
        presences.onNews { hints.send(Hints($0)) }
        feed.rest { hints.isAloneAndListening }
        revocations.rest { hints.isAloneAndListening }
        feed.onCommit { events in
            guard !formats.isAlone else { return }
            hints.send(Hints(heads: Dictionary(events.map { ($0.partition, $0.position) }) { max($0, $1) }))
        }
        revocations.onEndedHere { hints.send(Hints(haveSessionsEnded: true)) }
        projecting.checkpoints.onProjected { partition, position in
            guard !formats.isAlone else { return }
            hints.send(Hints(projected: [partition: position]))
        }
        projecting.leases?.onNews { hints.send(Hints(haveLeasesChanged: true)) }
        sessions.onNews { hints.send(Hints(haveLeasesChanged: true)) }
        return hints
    }

    static func openIssuers(_ settings: Configuration, _ logger: Logger) throws(ConfigurationError) -> OpenIDIssuers {
        let providers = try settings.openIDProviders()
        do {
            return try OpenIDIssuers(providers, logger: logger)
        } catch {
            throw ConfigurationError("\(settings.signIn.issuers.environmentName): \(error)")
        }
    }

    static func openIdentity(
        _ settings: Configuration,
        _ secret: SecretKeys,
        _ eventStore: EventStore,
        _ pool: PostgresPool,
        serves: Bool,
        _ logger: Logger
    ) async throws -> Identity {
        var configuration = IdentityConfiguration()
        configuration.passwordCost = settings.secrets.scryptCost.value
        configuration.passwordThreads = 2
        // A ninth of the weight of what answers requests: where cores are short, signing in waits and sending does not.
        configuration.passwordNiceness = 10
        configuration.passwordQueueLimit = 128
        configuration.accessTokenLifetime = settings.sessions.accessTokenLifetime.value
        configuration.refreshTokenLifetime = settings.sessions.refreshTokenLifetime.value
        configuration.pollInterval = settings.pollInterval.value * 2
        configuration.sessionLimit = settings.sessions.maxSessions.value
        configuration.resetTokenLifetime = settings.mail.resetTokenLifetime.value
        configuration.emailTokenLifetime = settings.mail.emailTokenLifetime.value
        configuration.displayName.reserved = ReservedNames(adding: settings.conversations.reservedNames.value ?? [])
        configuration.mail = try settings.mailConfiguration(serves: serves)
        return try await Identity.open(
            configuration,
            pool: pool,
            masterKeys: secret.accounts,
            registerProfile: { account, displayName in
                try await eventStore.register(account, displayName: displayName)
            },
            logger: logger
        )
    }

    /// The web client; nil where it is switched off.
    static func openWebsite(_ settings: Configuration) async throws -> WebClient? {
        guard settings.web.isServed.value else { return nil }
        guard let folder = settings.web.folder.value else { return try await WebClient.embedded() }
        do {
            return try await WebClient.inFolder(folder)
        } catch {
            let name = settings.web.folder.environmentName
            throw ConfigurationError("\(name) is not the folder of a web client: \(folder)")
        }
    }
}

extension EventStore {
    /// Makes a person's key and tells the log of the person; changes nothing when repeated.
    func register(_ account: UUID, displayName: String?) async throws {
        try await keyring.ensureKey(for: account)
        _ = try await handle(
            .register(displayName: displayName),
            of: UserDecider.self,
            on: account,
            context: CommandContext(commandID: account, actor: account, now: Date()),
            answer: { _ in }
        )
    }
}

extension PresenceNews {
    fileprivate init(_ hints: Hints) {
        self.init(
            statuses: hints.statuses,
            words: hints.words.map { Word($0.status, $0.session, of: $0.person) },
            sessions: hints.watching,
            asks: hints.asksForPresence
        )
    }
}

extension Hints {
    fileprivate init(_ news: PresenceNews) {
        self.init(
            statuses: news.statuses,
            words: news.words.map { Word($0.status, $0.session, of: $0.person) },
            watching: news.sessions,
            asksForPresence: news.asks
        )
    }
}
