package import EventSourcing
import Foundation
import Messaging

/// An event of the log with its body read once for all projections.
///
/// A class, because each projection looks at it, and would copy all that an event holds.
package final class ProjectedEvent: Sendable {
    let record: RecordedEvent
    let fact: Fact

    enum Fact: Sendable {
        case conversation(ConversationEvent)
        case user(UserEvent)
        /// An event of a kind that no read model follows.
        case other
        case undecodable(type: String)
    }

    /// Nil for an event of a newer program, which nobody may pass.
    package init?(_ record: RecordedEvent) {
        self.record = record
        switch record.body {
        case .event(let event as ConversationEvent): fact = .conversation(event)
        case .event(let event as UserEvent): fact = .user(event)
        case .event: fact = .other
        case .undecodable(let type, _): fact = .undecodable(type: type)
        case .unknown: return nil
        }
    }

    /// Whether it takes something of a person away for good: even a read model that has stopped following the stream does
    /// that.
    var isErasure: Bool {
        switch fact {
        case .conversation(.memberErased), .user(.erased): true
        case .conversation, .user, .other, .undecodable: false
        }
    }

    /// About how many rows the event writes, to bound a batch by its work.
    var weight: Int {
        switch fact {
        case .conversation(.started(let started)): 1 + started.members.count
        case .conversation(.receiptsAdvanced(let advanced)): 1 + advanced.marks.count
        case .conversation(.messageSent(let sent)):
            1 + (sent.mentionsAll ? 1 : sent.mentions.count) + (sent.text?.utf8.count ?? 0) / 1_024
        case .conversation, .user, .other, .undecodable: 1
        }
    }
}
