import Foundation

/// An address of IPv4 or IPv6, as its bytes.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16.
    let bytes: [UInt8]

    /// - Parameter bytes: in network order.
    /// - Returns: nil unless they are 4 or 16.
    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads the one usual form: four numbers, or RFC 4291's, without brackets and zone. What only some programs take for an
    /// address, as `127.1` or `0x7f000001`, is none.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        bytes = withUnsafeBytes(of: &six) { Array($0) }
    }

    package var isIPv4: Bool { bytes.count == 4 }

    package var description: String {
        if isIPv4 { return bytes.map(String.init).joined(separator: ".") }
        // Never shortened: any resolver reads it, and it is for programs.
        return stride(from: 0, to: 16, by: 2)
            .map { first -> String in
                let group = UInt16(bytes[first]) << 8 | UInt16(bytes[first + 1])
                return String(group, radix: 16)
            }
            .joined(separator: ":")
    }
}
