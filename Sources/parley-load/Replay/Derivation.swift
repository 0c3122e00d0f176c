import Crypto
import Foundation
import ParleyWire

/// Makes every id, address and password from the seed and a name, so that repeating a run repeats its requests.
struct Derivation: Sendable {
    let seed: UInt64

    /// A UUIDv7 with the given time; everything else comes from seed and name.
    func id(_ name: String, at time: Date) -> WireID {
        let digest = bytes(name)
        let milliseconds = UInt64(bitPattern: Timestamp.milliseconds(of: time))
        var id = [UInt8](digest.prefix(16))
        for index in 0..<6 {
            id[index] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * index))
        }
        id[6] = 0x70 | (id[6] & 0x0F)
        id[8] = 0x80 | (id[8] & 0x3F)
        return WireID(UUID(uuid: id.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
    }

    func credentials(_ name: String, displayName: String) -> Account.Credentials {
        Account.Credentials(
            email: "\(hex("email/" + name))@load.parley.example",
            password: hex("password/" + name),
            displayName: displayName
        )
    }

    /// The seed of a generator for one part of the plan, so that parts do not disturb each other.
    func generator(_ name: String) -> SeededGenerator {
        SeededGenerator(seed: bytes("generator/" + name).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    private func hex(_ name: String) -> String {
        bytes(name).prefix(10).map { String(Int($0) + 256, radix: 16).suffix(2) }.joined()
    }

    private func bytes(_ name: String) -> [UInt8] {
        Array(SHA256.hash(data: Data("parley-load/\(seed)/\(name)".utf8)))
    }
}
