/// Hosts that may be asked although they are not open to the internet.
package struct AllowedHosts: Sendable, Hashable {
    private let names: Set<String>
    private let networks: [IPNetwork]

    package static let none = AllowedHosts(names: [], networks: [])

    private init(names: Set<String>, networks: [IPNetwork]) {
        self.names = names
        self.networks = networks
    }

    /// - Parameter entries: names such as `hooks.internal`, addresses, and networks such as `10.0.0.0/8` or `fd00::/8`.
    /// - Returns: nil where one is neither.
    package init?(_ entries: [String]) {
        var names: Set<String> = []
        var networks: [IPNetwork] = []
        for entry in entries {
            if let network = IPNetwork(entry) {
                networks.append(network)
            } else if HostName.isValid(entry) {
                names.insert(entry.lowercased())
            } else {
                return nil
            }
        }
        self.init(names: names, networks: networks)
    }

    package var isEmpty: Bool { names.isEmpty && networks.isEmpty }

    /// By its name, or, where it is an address, by that.
    func allows(host: String) -> Bool {
        if let address = IPAddress(host) { return allows(address) }
        return names.contains(host.lowercased())
    }

    func allows(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }
}
