import EventSourcing
import Foundation
import Messaging
import Testing

/// What the log holds of an event, as it was once written, and what it must read as for ever.
///
/// One file per type of event, named for it. Nothing in them is ever edited: logs out there hold these bytes. A new type or
/// version adds its own, with a sample for each optional field and one without the key of what is personal.
struct GoldenEvent: Sendable, CustomTestStringConvertible {
    let type: String
    let schemaVersion: Int
    let category: String
    /// What is special about the sample.
    let name: String
    let payload: String
    /// The personal content, unsealed; nil where there is none, or its key is destroyed.
    let personal: String?
    let event: any DomainEvent & Equatable
    let origin: Origin

    enum Origin {
        /// Today's program writes exactly this.
        case today
        /// An older version of the program, or another spelling of the same.
        case earlier
        /// The key of what was personal is destroyed.
        case erased
    }

    init(
        _ type: String,
        _ schemaVersion: Int,
        in category: String = "conversation",
        _ name: String,
        _ origin: Origin = .today,
        payload: String,
        personal: String? = nil,
        reads event: any DomainEvent & Equatable
    ) {
        self.type = type
        self.schemaVersion = schemaVersion
        self.category = category
        self.name = name
        self.origin = origin
        self.payload = payload
        self.personal = personal
        self.event = event
    }

    var testDescription: String { "\(type).\(schemaVersion), \(name)" }

    static let all =
        messageSent + receiptsAdvanced + conversationStarted + participantAdded + participantRemoved + roleChanged
        + groupChanged + memberErased + userRegistered + profileChanged + settingsChanged + userErased + userDeactivated
        + userReactivated
        + messageEdited + messageDeleted + reactionAdded + reactionRemoved + messagePinned + messageUnpinned
        + viewChanged + markedUnread + messageHidden
        + permissionsChanged + inviteCreated + inviteUsed + invitesEnded + blockChanged + messageForwarded
        + limitedMessageSent + attachmentsSent + messageExpired + retentionChanged + slowModeChanged

    /// Every event is of this command and actor.
    var context: DecodingContext {
        DecodingContext(
            stream: StreamID(StreamCategory(rawValue: category), person(77)),
            commandID: person(50),
            actor: ada,
            subject: event.subject,
            recordedAt: Date(timeIntervalSince1970: 0)
        )
    }
}
