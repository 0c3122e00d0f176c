import Foundation
import ParleyWire
import Reactors

/// A notification of a message for one device, as operators see it: who is told where, and never what.
struct ListedPush: Codable, Hashable, Sendable {
    /// When its outcome came about; of one that waits, when it is looked at next.
    let at: Date
    let conversationId: WireID
    let userId: WireID
    let deviceId: WireID
    let provider: String
    let kind: String
    let outcome: String
    @Nullable var reason: String?
    let attempts: Int
    /// Since the newest message that it tells of was accepted.
    let milliseconds: Int64

    init(_ entry: PushTimeline.Entry) {
        at = entry.at
        conversationId = WireID(entry.conversation)
        userId = WireID(entry.person)
        deviceId = WireID(entry.device)
        provider = entry.platform
        kind = entry.kind
        outcome = entry.outcome
        reason = entry.reason
        attempts = entry.attempts
        milliseconds = entry.milliseconds
    }
}
