import ArgumentParser
import Foundation
import Outbound

/// The settings of what the server asks of other servers.
struct OutboundSettings: ParsableArguments {
    @Option(
        Setting(
            optional: "outbound-allowed-hosts",
            .hosts,
            "Hosts inside that webhooks and push services may be on: hooks.internal,10.0.0.0/8; else only public ones."
        )
    )
    var allowedHosts: Setting<AllowedHosts?>

    @Option(
        Setting(
            optional: "outbound-ca-file",
            .text,
            "A file with certificates to trust beside the system's, where servers that are asked have some of your own."
        )
    )
    var trustFile: Setting<String?>
}

extension SettingReader where Value == AllowedHosts {
    /// Names, addresses and networks.
    static var hosts: Self {
        Self("names, addresses and networks with commas between, such as hooks.internal,10.0.0.0/8,fd00::/8") { text in
            AllowedHosts(text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        }
    }
}
