import Synchronization

/// The servers under load, taken in turn so that requests and streams go crosswise over them.
final class Servers: Sendable {
    let addresses: [String]
    private let turn = Atomic<Int>(0)

    /// Needs at least one address.
    init(_ addresses: [String]) {
        self.addresses = addresses.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    func next() -> String {
        let (count, _) = turn.wrappingAdd(1, ordering: .relaxed)
        return addresses[Int(count.magnitude % UInt(addresses.count))]
    }
}
