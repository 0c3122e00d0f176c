import API
import Edge
import Foundation

extension SettingReader where Value == TrustedProxies {
    /// Addresses and networks.
    static var proxies: Self {
        Self("none, or addresses and networks such as 10.0.0.1,192.168.0.0/16,fd00::/8") { text in
            text == "none" ? TrustedProxies.none : TrustedProxies(text.split(separator: ",").trimmed)
        }
    }
}

extension SettingReader where Value == CrossOrigin {
    /// Origins, as browsers send them.
    static var origins: Self {
        Self("* or origins such as https://app.example.org,http://localhost:3000, in lower case and without a path") {
            CrossOrigin($0.split(separator: ",").trimmed)
        }
    }
}

extension Sequence<Substring> {
    fileprivate var trimmed: [String] { map { $0.trimmingCharacters(in: .whitespaces) } }
}
