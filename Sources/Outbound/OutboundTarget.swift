import Foundation

/// Where a URL leads.
struct OutboundTarget: Sendable {
    /// As the client that asks reads it, in its very spelling: it is told by this name which address to ask.
    let host: String
    /// Where the host is no name.
    let address: IPAddress?
    let url: String

    private static let longest = 8_192

    init(_ url: URL, _ rules: OutboundRules) throws(OutboundError) {
        let text = url.absoluteString
        // Read again from its text, as the client that asks does.
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let read = URL(string: text), let scheme = read.scheme?.lowercased(), let host = read.host,
            read.user == nil, read.password == nil, read.port.map({ (1...65_535).contains($0) }) ?? true
        else { throw OutboundError(.refusedURL) }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let address = IPAddress(bare)
        guard address != nil || HostName.isValid(bare) else { throw OutboundError(.refusedURL) }
        switch (scheme, rules.vetting) {
        case ("https", _), ("http", .none): break
        case ("http", .global(let allowed)):
            guard allowed.allows(host: bare) else { throw OutboundError(.refusedURL) }
        default: throw OutboundError(.refusedURL)
        }
        self.host = bare
        self.address = address
        self.url = text
    }
}
