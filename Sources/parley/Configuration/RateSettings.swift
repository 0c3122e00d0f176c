import ArgumentParser
import Identity

/// The settings of the rate limits, one per policy.
///
/// `50/5s` lets 50 requests pass at once and, when they are used up, as many again in each 5 seconds, evenly. What guards
/// passwords and mailboxes is counted in the database, for all servers together; the rest by each server for itself.
struct RateSettings: ParsableArguments {
    @Option(Setting(.loginAccount)) var loginAccount: Setting<RateLimit>
    @Option(Setting(.loginAddress)) var loginAddress: Setting<RateLimit>
    @Option(Setting(.register)) var register: Setting<RateLimit>
    @Option(Setting(.forgotAccount)) var forgotAccount: Setting<RateLimit>
    @Option(Setting(.forgotAddress)) var forgotAddress: Setting<RateLimit>
    @Option(Setting(.reset)) var reset: Setting<RateLimit>
    @Option(Setting(.verify)) var verify: Setting<RateLimit>
    @Option(Setting(.resend)) var resend: Setting<RateLimit>
    @Option(Setting(.change)) var change: Setting<RateLimit>
    @Option(Setting(.refresh)) var refresh: Setting<RateLimit>
    @Option(Setting(.send)) var send: Setting<RateLimit>
    @Option(Setting(.batch)) var batch: Setting<RateLimit>
    @Option(Setting(.command)) var command: Setting<RateLimit>
    @Option(Setting(.receipts)) var receipts: Setting<RateLimit>
    @Option(Setting(.read)) var read: Setting<RateLimit>
    @Option(Setting(.directory)) var directory: Setting<RateLimit>
    @Option(Setting(.search)) var search: Setting<RateLimit>
    @Option(Setting(.sync)) var sync: Setting<RateLimit>
    @Option(Setting(.stream)) var stream: Setting<RateLimit>
    @Option(Setting(.export)) var export: Setting<RateLimit>
    @Option(Setting(.report)) var report: Setting<RateLimit>
    @Option(Setting(.upload)) var upload: Setting<RateLimit>
    @Option(Setting(.download)) var download: Setting<RateLimit>
    @Option(Setting(.operation)) var operation: Setting<RateLimit>
    @Option(Setting(.bot)) var bot: Setting<RateLimit>
    @Option(Setting(.botSend)) var botSend: Setting<RateLimit>
    @Option(Setting(.forgedToken)) var forgedToken: Setting<RateLimit>
}

extension RateSettings {
    /// The limits by the names of their settings, so that no second list of them can be wrong.
    var limits: [RatePolicy: RateLimit] {
        let settings = Mirror(reflecting: self).children.compactMap { ($0.value as? any SettingFlag)?.setting }
        return RatePolicy.allCases.reduce(into: [:]) { limits, policy in
            let setting = settings.first { $0.name == policy.settingName }
            limits[policy] = (setting as? Setting<RateLimit>)?.value
        }
    }
}

extension RatePolicy {
    /// The name of the policy's setting.
    var settingName: String { "limit-\(rawValue)" }
}

extension Setting<RateLimit> {
    fileprivate init(_ policy: RatePolicy) {
        self.init(
            policy.settingName,
            default: policy.standard.description,
            .rateLimit,
            "\(policy.meaning): so many at once, and again in each window."
        )
    }
}

extension SettingReader where Value == RateLimit {
    /// A number of requests and the time in which as many come back.
    static var rateLimit: Self {
        let window = SettingReader<Duration>.duration(from: .seconds(1), to: .seconds(86_400))
        return Self("requests per time such as 50/5s, 10/10min or 20/1h, up to 1000000 in 1s to 1d") { text in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let quota = Int(parts[0]), (1...1_000_000).contains(quota) else { return nil }
            return try? RateLimit(quota, per: window.read(String(parts[1])))
        }
    }
}
