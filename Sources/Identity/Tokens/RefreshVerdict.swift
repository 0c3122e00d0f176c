import Foundation

/// What happens to a session whose client presents a genuine refresh token.
enum RefreshVerdict: Equatable, Sendable {
    /// It is the newest token: it gives way to its successor.
    case rotate
    /// Its successor is unused: the client lost that answer, however long ago, and gets it again.
    case repeatSuccessor
    /// Too late for the newest token.
    case expired
    /// An older token: somebody has a copy, and nobody can tell who.
    case reuse

    /// The tokens of a session, by their hashes.
    struct Family: Sendable {
        let current: [UInt8]
        let previous: [UInt8]?
        let expiresAt: Date
    }

    /// There is no time within which the old token is still good: a client that was killed before it stored the answer may
    /// come back days later, and the successor's use is what tells a thief's copy from a lost answer.
    init(on presented: [UInt8], of family: Family, at now: Date) {
        if presented == family.current {
            self = now < family.expiresAt ? .rotate : .expired
        } else if presented == family.previous {
            // That it is the previous one means that the current one is unused: using that would make a new one.
            self = now < family.expiresAt ? .repeatSuccessor : .expired
        } else {
            self = .reuse
        }
    }
}
