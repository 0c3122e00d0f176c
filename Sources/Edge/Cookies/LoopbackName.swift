/// Names that browsers take for the machine that they run on, whatever a name server says (RFC 6761 §6.3).
enum LoopbackName {
    /// - Parameter host: a name or an address, and perhaps a port.
    static func isOne(_ host: String) -> Bool {
        let name = withoutPort(host.lowercased())
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let address = ClientAddress(name) else { return false }
        return address.isLoopback
    }

    private static func withoutPort(_ host: String) -> Substring {
        if host.first == "[" { return host.dropFirst().prefix { $0 != "]" } }
        return host.prefix { $0 != ":" }
    }
}
