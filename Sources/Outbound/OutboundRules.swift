/// Which servers may be asked.
package struct OutboundRules: Sendable {
    enum Vetting: Sendable {
        case none
        case global(AllowedHosts)
    }

    let vetting: Vetting

    /// For hosts that the configuration names: they may be anywhere, and speak `http`.
    package static let operators = OutboundRules(vetting: .none)

    /// For whatever people and other servers name: `https`, and addresses that anybody on the internet may ask. What is
    /// asked is the very address that was looked at.
    ///
    /// - Parameter allowed: hosts that may be elsewhere, and speak `http`.
    package static func vetted(allowed: AllowedHosts = .none) -> OutboundRules {
        OutboundRules(vetting: .global(allowed))
    }
}
