import Foundation

/// How far a reader has come: a position per partition, of one epoch.
///
/// A stream's cursor names every partition; a command's position token only the one it wrote to. Both have one text form,
/// opaque to clients: base64url of a version byte, the epoch, and the positions as variable-length integers.
package struct Cursor: Sendable, Equatable {
    package let epoch: UInt64
    /// Positions by partition; a partition that is not named is not constrained.
    package private(set) var positions: [Int: Int64]

    package init(epoch: UInt64, positions: [Int: Int64]) {
        self.epoch = epoch
        self.positions = positions
    }

    /// A cursor that names every partition, in order.
    package init(epoch: UInt64, all positions: [Int64]) {
        self.epoch = epoch
        self.positions = Dictionary(uniqueKeysWithValues: positions.enumerated().map { ($0.offset, $0.element) })
    }

    /// The positions of all partitions in order, or nil where one is not named.
    package func all(partitions: Int) -> [Int64]? {
        var all: [Int64] = []
        all.reserveCapacity(partitions)
        for partition in 0..<partitions {
            guard let position = positions[partition] else { return nil }
            all.append(position)
        }
        return positions.count == partitions ? all : nil
    }

    private static let dense: UInt8 = 1
    private static let sparse: UInt8 = 2

    package var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 + positions.count * 4)
        if let all = all(partitions: positions.count) {
            bytes.append(Self.dense)
            appendEpoch(to: &bytes)
            for position in all { Self.appendVarint(UInt64(clamping: position), to: &bytes) }
        } else {
            bytes.append(Self.sparse)
            appendEpoch(to: &bytes)
            for (partition, position) in positions.sorted(by: { $0.key < $1.key }) {
                Self.appendVarint(UInt64(clamping: partition), to: &bytes)
                Self.appendVarint(UInt64(clamping: position), to: &bytes)
            }
        }
        return Self.base64URL(bytes)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Base64url without padding (RFC 4648 §5). Every answer to a command has one, and Foundation's way to it, by
    /// replacing in strings, cost 3 % of a send.
    private static func base64URL(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var count = 0
            var bits: UInt32 = 0
            var width = 0
            func put(_ sextet: UInt32) {
                text[count] = alphabet[Int(sextet & 63)]
                count += 1
            }
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                width += 8
                while width >= 6 {
                    width -= 6
                    put(bits >> UInt32(width))
                }
            }
            if width > 0 { put(bits << UInt32(6 - width)) }
            return count
        }
    }

    /// Reads a cursor's text form, which comes from outside.
    package init?(text: String) {
        guard text.utf8.count <= 8_192 else { return nil }
        var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64), data.count >= 9 else { return nil }
        var reader = ByteReader(bytes: [UInt8](data))
        guard let form = reader.byte(), form == Self.dense || form == Self.sparse else { return nil }
        var epoch: UInt64 = 0
        for _ in 0..<8 {
            guard let byte = reader.byte() else { return nil }
            epoch = epoch << 8 | UInt64(byte)
        }
        var positions: [Int: Int64] = [:]
        while !reader.isAtEnd {
            var partition = positions.count
            if form == Self.sparse {
                guard let named = reader.varint(), named < 256 else { return nil }
                partition = Int(named)
            }
            guard partition < 256, let position = reader.varint(), let exact = Int64(exactly: position) else {
                return nil
            }
            guard positions.updateValue(exact, forKey: partition) == nil else { return nil }
        }
        self.init(epoch: epoch, positions: positions)
    }

    private func appendEpoch(to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: epoch >> UInt64(shift)))
        }
    }

    private static func appendVarint(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

private struct ByteReader {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index >= bytes.count }

    mutating func byte() -> UInt8? {
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// Little-endian groups of seven bits; nil when cut off or longer than 64 bits.
    mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = byte() else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
