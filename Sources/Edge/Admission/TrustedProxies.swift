/// The proxies that stand before the server, whose word on a client's address is taken.
package struct TrustedProxies: Sendable, Hashable {
    private let ranges: [Range]

    private struct Range: Sendable, Hashable {
        let base: UInt128
        /// How many bits, from the right, are free.
        let free: Int

        func contains(_ address: ClientAddress) -> Bool { address.bits >> free == base >> free }
    }

    package static let none = TrustedProxies(ranges: [])

    private init(ranges: [Range]) {
        self.ranges = ranges
    }

    /// - Parameter texts: addresses such as `10.0.0.1` or `::1` and networks such as `10.0.0.0/8` or `fd00::/8`.
    /// - Returns: nil where one is neither.
    package init?(_ texts: [String]) {
        var ranges: [Range] = []
        for text in texts {
            guard let range = Self.range(text) else { return nil }
            ranges.append(range)
        }
        self.ranges = ranges
    }

    private static func range(_ text: String) -> Range? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = ClientAddress(first) else { return nil }
        let width = address.isIPv4 && !first.contains(":") ? 32 : 128
        guard parts.count == 2 else { return Range(base: address.bits, free: 0) }
        guard let length = Int(parts[1]), (0...width).contains(length) else { return nil }
        return Range(base: address.bits, free: width - length)
    }

    package var isEmpty: Bool { ranges.isEmpty }

    func contains(_ address: ClientAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    /// The client behind a chain of proxies: from the right, the first that is not trusted.
    ///
    /// Each proxy appends whom it heard from, so what stands left of an address that is not trusted is that one's word
    /// alone. What is no address ends the walk at the proxy that passed it on.
    ///
    /// - Parameter forwarded: the values of `X-Forwarded-For` in their order.
    func client(of peer: ClientAddress, forwarded: some Sequence<String>) -> ClientAddress {
        guard contains(peer) else { return peer }
        var client = peer
        for hop in forwarded.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }).reversed() {
            guard let address = Self.address(hop) else { return client }
            client = address
            guard contains(address) else { return client }
        }
        return client
    }

    /// Some proxies write the port, and then an IPv6 address in brackets.
    private static func address(_ hop: Substring) -> ClientAddress? {
        var text = hop.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        if text.first == "[", let end = text.firstIndex(of: "]") {
            return ClientAddress(text[text.index(after: text.startIndex)..<end])
        }
        if let colon = text.firstIndex(of: ":"), text[..<colon].contains("."), !text[colon...].dropFirst().contains(":")
        {
            return ClientAddress(text[..<colon])
        }
        return ClientAddress(text)
    }
}
