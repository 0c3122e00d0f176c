/// All addresses that begin alike.
package struct IPNetwork: Sendable, Hashable {
    private let base: IPAddress
    private let length: Int

    /// Reads `10.0.0.0/8`, `fd00::/8`, or a single address.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let base = IPAddress(first) else { return nil }
        let width = base.bytes.count * 8
        guard parts.count == 2 else {
            (self.base, self.length) = (base, width)
            return
        }
        guard let length = Int(parts[1]), (0...width).contains(length) else { return nil }
        (self.base, self.length) = (base, length)
    }

    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == base.bytes.count else { return false }
        let whole = length / 8
        guard address.bytes.prefix(whole) == base.bytes.prefix(whole) else { return false }
        let rest = length % 8
        guard rest > 0 else { return true }
        return address.bytes[whole] >> (8 - rest) == base.bytes[whole] >> (8 - rest)
    }
}
