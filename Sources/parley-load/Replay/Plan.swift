import Foundation
import ParleyWire

/// All that a replay will do, known before it starts: the same for the same seed, files and options.
struct Plan: Sendable {
    let seed: UInt64
    /// Everyone, by `PersonNumber`.
    let people: [PersonPlan]
    let groups: [GroupPlan]
    /// Those who keep a stream open.
    let listeners: [PersonNumber]

    var stepCount: Int { groups.reduce(0) { $0 + $1.steps.count } }
}

/// A person's place in the plan; the server gives the id.
typealias PersonNumber = Int

struct PersonPlan: Sendable {
    /// Unique in the plan, and the same in each run of it.
    let name: String
    let credentials: Account.Credentials
}

/// One log file as a group.
struct GroupPlan: Sendable {
    let name: String
    let conversationID: WireID
    let owner: PersonNumber
    /// Without the owner.
    let firstMembers: [PersonNumber]
    let sends: [SendPlan]
    let steps: [Step]
}

/// A message to be sent.
struct SendPlan: Sendable, Equatable {
    let id: WireID
    let sender: PersonNumber
    let text: String
    let replyTo: WireID?
    let mentions: [PersonNumber]
    let clientTimestamp: Date
    /// Sent twice at the same time.
    let isDoubled: Bool
    /// The one of the pictures that it brings.
    let picture: Int?
}

/// One thing to do in a group; each begins after the one before it was answered.
struct Step: Sendable {
    /// Unique in the plan.
    let id: String
    let action: Action
}

enum Action: Sendable, Equatable {
    /// Sends messages at the same time; the numbers are places in `GroupPlan.sends`.
    case send([Int])
    /// Sends an old message again, much later.
    case resend(Int)
    /// Sends other words under the id of an old message, which must be refused.
    case conflict(Int)
    case join(PersonNumber)
    /// The owner adds a person.
    case add(PersonNumber)
    /// The owner removes a person.
    case remove(PersonNumber)
    case leave(PersonNumber)
    /// A former member tries to send, which must be refused.
    case intrude(PersonNumber)
    case rename(PersonNumber, to: String)
    case renameGroup(to: String)
    /// People say how far they have received and read, at the same time.
    case receipts([ReceiptPlan])
    /// The author says something else.
    case edit(Int, to: String)
    /// For everyone.
    case delete(Int, by: PersonNumber)
    case react(Int, PersonNumber, String)
    case unreact(Int, PersonNumber, String)
    /// The owner pins a message for all.
    case pin(Int)
    case unpin(Int)
    /// A member mutes the group, or hears of it again.
    case mute(PersonNumber, until: Date?)
    /// A member checks the conversation and its newest messages.
    case spotCheck(PersonNumber)
    /// A listener's connection breaks; `back` brings it back.
    case cut(PersonNumber)
    /// A listener stops reading; `back` lets it read on.
    case stall(PersonNumber)
    case back(PersonNumber)
}

/// Marks counted back from the newest message; negative lies beyond it.
struct ReceiptPlan: Sendable, Equatable {
    let person: PersonNumber
    let deliveredBack: Int64?
    let readBack: Int64?
}
