import API
import ArgumentParser
import Edge
import Foundation
import Logging

/// Every setting there is, with its name, default and meaning.
///
/// A flag wins over the environment variable, which wins over the default. The variable of `--some-name` is
/// `PARLEY_SOME_NAME`, unless the setting names another.
struct Configuration: ParsableArguments {
    // MARK: Listening

    @Option(Setting("host", default: "127.0.0.1", .text, "The address to listen on."))
    var host: Setting<String>

    @Option(Setting("port", default: "8080", .wholeNumber(0...65_535), "The port to listen on; 0 takes a free one."))
    var port: Setting<Int>

    @Option(
        Setting(
            "trusted-proxies",
            default: "none",
            .proxies,
            "Addresses and networks, with commas between, of the proxies whose X-Forwarded-For and -Proto are believed."
        )
    )
    var trustedProxies: Setting<TrustedProxies>

    @Option(
        Setting(
            "behind-tls",
            default: "off",
            .onOrOff,
            "Whether clients reach the server over TLS only: then browsers are told never to try without."
        )
    )
    var behindTLS: Setting<Bool>

    @Option(
        Setting(
            "cookies-over-http",
            default: "off",
            .onOrOff,
            "Whether browsers may sign in over plain HTTP from other machines, where all between can take their session."
        )
    )
    var cookiesOverHTTP: Setting<Bool>

    @Option(
        Setting(
            optional: "cors-origins",
            .origins,
            "Origins, with commas between, whose web pages may call, such as https://app.example.org; * for all."
        )
    )
    var corsOrigins: Setting<CrossOrigin?>

    // MARK: Storage

    @Option(Setting("data-dir", default: defaultDataDirectory, .text, "Where the private PostgreSQL and its key live."))
    var dataDirectory: Setting<String>

    @Option(
        Setting(
            optional: "database-url",
            .text,
            environment: "DATABASE_URL",
            isSecret: true,
            "A PostgreSQL to use instead of the private one. Better as a variable: others can see flags."
        )
    )
    var databaseURL: Setting<String?>

    @Option(
        Setting(
            optional: "migrate-url",
            .text,
            isSecret: true,
            "The same database for an account that may change its tables, where the server's own may not."
        )
    )
    var migrateURL: Setting<String?>

    @Option(Setting(optional: "postgres-bin", .text, "The directory of the programs of the private PostgreSQL."))
    var postgresBinaries: Setting<String?>

    @Option(
        Setting(
            "log-partitions",
            default: "16",
            .wholeNumber(1...256),
            "Partitions of a new log; an existing log keeps its own."
        )
    )
    var logPartitions: Setting<Int>

    @Option(Setting("lanes", default: Cores.share(2), .wholeNumber(1...64), "Connections that append to the log."))
    var lanes: Setting<Int>

    @Option(
        Setting(
            "poll-interval",
            default: "250ms",
            .duration(from: .milliseconds(50), to: .seconds(3_600)),
            "How often the database is asked what other servers did, in case their hints are lost."
        )
    )
    var pollInterval: Setting<Duration>

    @Option(
        Setting("projectors", default: Cores.share(4), .wholeNumber(1...64), "Connections that fill the read models.")
    )
    var projectors: Setting<Int>

    @Option(Setting("pool-size", default: "8", .wholeNumber(1...200), "Connections for queries."))
    var poolSize: Setting<Int>

    // MARK: Secrets, sessions, signing in, mail

    @OptionGroup var secrets: SecretSettings

    @OptionGroup var sessions: SessionSettings

    @OptionGroup var signIn: SignInSettings

    @OptionGroup var mail: MailSettings

    // MARK: Limits

    @Option(Setting("limits", default: "on", .onOrOff, "Rate limits; off only on a loopback address, for load tests."))
    var limits: Setting<Bool>

    @OptionGroup var connections: ConnectionSettings

    @OptionGroup var rates: RateSettings

    @OptionGroup var conversations: ConversationSettings

    @OptionGroup var attachments: AttachmentSettings

    // MARK: Web client

    @OptionGroup var web: WebSettings

    // MARK: Other servers

    @OptionGroup var outbound: OutboundSettings

    @OptionGroup var push: PushSettings

    // MARK: Operation

    @OptionGroup var operation: OperationSettings

    @Option(
        Setting(
            "shutdown-notice",
            default: "1s",
            .duration(from: .zero, to: .seconds(600)),
            "How long /readyz says 503 and new connections are refused, before a server that stops ends its streams."
        )
    )
    var shutdownNotice: Setting<Duration>

    @Option(
        Setting(
            "shutdown-grace",
            default: "20s",
            .duration(from: .zero, to: .seconds(600)),
            "How long requests and streams may go on after a SIGTERM."
        )
    )
    var shutdownGrace: Setting<Duration>
}

extension Configuration {
    /// The settings in the order in which they are listed above.
    var all: [any ListedSetting] {
        Self.settings(in: self)
    }

    private static func settings(in arguments: any ParsableArguments) -> [any ListedSetting] {
        Mirror(reflecting: arguments).children.flatMap { child in
            if let group = child.value as? any SettingGroup { return settings(in: group.members) }
            return (child.value as? any SettingFlag)?.setting.map { [$0] } ?? []
        }
    }

    /// Checks what no single setting can see, and what the environment got wrong.
    func check() throws(ConfigurationError) {
        if let problem = all.lazy.compactMap(\.problem).first { throw ConfigurationError(problem) }
        if !limits.value, !isLoopback {
            throw ConfigurationError(
                "\(limits.environmentName)=off is refused while \(host.environmentName) is not a loopback address"
            )
        }
        // Behind a proxy a loopback address is as open as any other.
        if !limits.value, behindTLS.value || trustedProxies.source != .default {
            let names = "\(behindTLS.environmentName) or \(trustedProxies.environmentName)"
            throw ConfigurationError("\(limits.environmentName)=off is refused together with \(names)")
        }
        if databaseURL.value != nil, secrets.masterKey.value == nil, secrets.masterKeyFile.value == nil {
            throw ConfigurationError(
                "\(databaseURL.environmentName) needs the master key of that database beside it: set \(secrets.masterKey.environmentName) or "
                    + "\(secrets.masterKeyFile.environmentName), for a new database to the output of: openssl rand -base64 32"
            )
        }
        if operation.port.value == port.value, port.value != 0, operation.host.value == host.value {
            throw ConfigurationError("\(operation.port.environmentName) and \(port.environmentName) are the same port")
        }
        try checkMail()
        try checkPush()
        _ = try s3Bucket()
        if databaseURL.value == nil, migrateURL.value != nil {
            throw ConfigurationError("\(migrateURL.environmentName) is of use only with \(databaseURL.environmentName)")
        }
    }

    /// Where the server listens, as people write it.
    var addresses: String {
        let clients = "\(host.value):\(port.value)"
        return operation.port.value.map { "\(clients) or \(operation.host.value):\($0)" } ?? clients
    }

    var isLoopback: Bool {
        let octets = host.value.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = octets.count == 4 && octets.allSatisfy { UInt8($0) != nil } && octets[0] == "127"
        return isIPv4 || ["::1", "localhost"].contains(host.value)
    }

    /// `/var/lib/parley` for root, whose home is closed to the account that PostgreSQL runs under.
    private static var defaultDataDirectory: String {
        if geteuid() == 0 { return "/var/lib/parley" }
        let environment = ProcessInfo.processInfo.environment
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return "\(data)/parley" }
        let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
        return "\(home)/.local/share/parley"
    }
}

/// A setting is wrong; the text names it and never contains a secret's value.
struct ConfigurationError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
