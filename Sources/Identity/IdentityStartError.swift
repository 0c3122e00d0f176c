/// Why `Identity` could not start.
package enum IdentityStartError: Error, Equatable, CustomStringConvertible {
    case wrongMasterKey
    case noSigningKey
    case badConfiguration(String)

    package var description: String {
        switch self {
        case .wrongMasterKey: "the master key is not the one that this database's signing keys were stored under"
        case .noSigningKey: "a signing key was stored and has vanished"
        case .badConfiguration(let reason): "identity configuration: \(reason)"
        }
    }
}
