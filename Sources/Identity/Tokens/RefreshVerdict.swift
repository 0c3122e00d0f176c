import Foundation

/// What happens to a session whose client presents a genuine refresh token.
enum RefreshVerdict: Equatable, Sendable {
    /// It is the newest token: it gives way to its successor.
    case rotate
    /// Its successor was made moments ago and is unused: the client lost that answer, and gets it again.
    case repeatSuccessor
    /// The newest token, too late.
    case expired
    /// An older token: somebody has a copy, and nobody can tell who.
    case reuse

    /// The tokens of a session, by their hashes.
    struct Family: Sendable {
        let current: [UInt8]
        let previous: [UInt8]?
        let rotatedAt: Date
        let expiresAt: Date
    }

    init(on presented: [UInt8], of family: Family, at now: Date, grace: TimeInterval) {
        if presented == family.current {
            self = now < family.expiresAt ? .rotate : .expired
        } else if presented == family.previous, now < family.rotatedAt.addingTimeInterval(grace) {
            // That it is the previous one means that the current one is unused: using that would make a new one.
            self = .repeatSuccessor
        } else {
            self = .reuse
        }
    }
}
