import API
import Foundation
import Logging
import Outbound
import ParleyWire
import Reactors
import ServiceLifecycle

/// The push services that the configuration has credentials for.
struct PushServices {
    /// More than one provider has under way.
    private static let connections = 256

    let providers: [any PushProvider]
    /// What they ask with, each over connections of its own, so that one that hangs takes nothing from the others.
    let clients: [any Service]
    /// Services that do not believe the server.
    let notes: [Readiness.Check]
    let info: ServerPush

    /// - Parameter tokens: those of all processes of the database; nil where nothing is sent.
    /// - Throws: ``ConfigurationError`` where a file is missing, or is not what it should be.
    init(_ settings: Configuration, sharing tokens: SharedPushTokens? = nil, logger: Logger) throws {
        var providers: [any PushProvider] = []
        var clients: [any Service] = []
        var notes: [Readiness.Check] = []
        func client(_ rules: OutboundRules) throws -> OutboundClient {
            let client = try settings.outboundClient(rules, maximumConnections: Self.connections, logger: logger)
            clients.append(client)
            return client
        }
        func add(_ provider: any PushProvider, trouble: @escaping @Sendable () -> String?) {
            providers.append(provider)
            notes.append(Readiness.Check("push over \(provider.name)") { trouble() })
        }
        if let account = try settings.fcmAccount() {
            let fcm = FCMProvider(account: account, base: settings.push.fcmURL.value, client: try client(.operators))
            add(fcm) { fcm.watch.trouble }
        }
        let apps = settings.push.apnsApps.value ?? []
        if let key = try settings.apnsKey() {
            let base = settings.push.apnsURL.value
            let apns = APNsProvider(
                key: key,
                apps: apps,
                base: base,
                sharing: tokens,
                client: try client(.operators)
            )
            add(apns) { apns.watch.trouble }
        }
        let key = try settings.vapidKey()
        if let key, let subject = settings.push.vapidSubject.value {
            let rules = OutboundRules.vetted(allowed: settings.outbound.allowedHosts.value ?? .none)
            let web = WebPushProvider(key: key, subject: subject, client: try client(rules))
            add(web) { web.watch.trouble }
        }
        self.providers = providers
        self.clients = clients
        self.notes = notes
        info = ServerPush(
            providers: providers.map { DevicePlatform(rawValue: $0.name) },
            apps: apps,
            webPushKey: key?.publicText
        )
    }
}

extension Configuration {
    /// A client for servers that are not ours.
    ///
    /// - Throws: ``ConfigurationError`` where the file with certificates is none.
    func outboundClient(
        _ rules: OutboundRules,
        maximumConnections: Int,
        logger: Logger
    ) throws(ConfigurationError) -> OutboundClient {
        do {
            return try OutboundClient(
                rules: rules,
                trustFile: outbound.trustFile.value,
                maximumConnections: maximumConnections,
                logger: logger
            )
        } catch {
            throw ConfigurationError("\(outbound.trustFile.environmentName): \(error)")
        }
    }
}
