import Foundation
import Synchronization

/// Remembers that browsers' push services do not believe who we are, for those who look after the server.
package final class VAPIDWatch: Sendable {
    /// The outcomes that say so of an address. Whether a service that knows no address has looked at the key, nobody knows.
    private static let refusals: Set<PushOutcome> = [
        .addressRefused(reason: "status401"), .addressRefused(reason: "status403"),
    ]

    private let answers = Mutex(VAPIDRefusals())

    package init() {}

    /// Why they do not; nil where they do, as far as is known.
    package var trouble: String? { answers.withLock { $0.reason }.map { CredentialWatch.words($0) } }

    func note(_ outcome: PushOutcome, for person: UUID, at service: String) {
        if case .accepted = outcome {
            answers.withLock { $0.note(nil, for: person, at: service) }
        } else if case .addressRefused(let reason) = outcome, Self.refusals.contains(outcome) {
            answers.withLock { $0.note(reason, for: person, at: service) }
        }
    }
}
