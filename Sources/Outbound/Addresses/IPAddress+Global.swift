/// Which addresses are open to the whole internet, by IANA's registries of special-purpose addresses.
extension IPAddress {
    /// Whether anybody may be asked there: no network of one's own, no machine's own address, nothing that is reserved, and
    /// nothing that wraps such an address.
    var isGlobal: Bool {
        guard !isIPv4 else { return !Self.specialIPv4.contains { $0.contains(self) } }
        if let wrapped { return wrapped.isGlobal }
        return Self.unicast.contains { $0.contains(self) } && !Self.specialIPv6.contains { $0.contains(self) }
    }

    /// The address of IPv4 that is asked in truth: a mapped one, and one behind the well-known prefix of NAT64.
    private var wrapped: IPAddress? {
        let wraps = Self.wrapping.contains { $0.contains(self) }
        return wraps ? IPAddress(bytes: Array(bytes.suffix(4))) : nil
    }

    private static let wrapping = networks(["::ffff:0:0/96", "64:ff9b::/96"])

    private static let specialIPv4 = networks([
        "0.0.0.0/8",  // this network
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private
        "100.64.0.0/10",  // behind a provider's NAT
        "127.0.0.0/8",  // this machine
        "169.254.0.0/16",  // this link, and what clouds tell their machines
        "192.0.0.0/24", "192.88.99.0/24",  // protocols, and the former relays of 6to4
        "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // documentation
        "198.18.0.0/15",  // measurements
        "224.0.0.0/4", "240.0.0.0/4",  // groups, reserved, all
    ])

    /// All of IPv6 that has been given out.
    private static let unicast = networks(["2000::/3"])

    private static let specialIPv6 = networks([
        "2001::/23",  // protocols: Teredo, ORCHID, measurements
        "2001:db8::/32", "3fff::/20",  // documentation
        "2002::/16",  // 6to4, which wraps any address of IPv4
    ])

    private static func networks(_ texts: [String]) -> [IPNetwork] { texts.compactMap { IPNetwork($0) } }
}
