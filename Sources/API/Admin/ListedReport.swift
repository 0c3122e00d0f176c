import Foundation
import Messaging
import ParleyWire
import ReadModels

/// A report, as operators see it: in a list without what was written, and without what was done with it.
struct ListedReport: Codable, Hashable, Sendable {
    let id: WireID
    let createdAt: Date
    let reason: String
    let reporter: Someone
    /// Who is reported: also the sender of a message that is.
    @Nullable var person: Someone?
    @Nullable var conversationId: WireID?
    @Nullable var messageId: WireID?
    @Nullable var closedAt: Date?
    /// Absent, too, once who was reported is erased.
    var evidence: Evidence?
    var actions: [Action]?

    struct Someone: Codable, Hashable, Sendable {
        let id: WireID
        @Nullable var displayName: String?

        init(_ someone: Reports.Someone) {
            id = WireID(someone.id)
            displayName = someone.name
        }
    }

    struct Evidence: Codable, Hashable, Sendable {
        @Nullable var text: String?
        @Nullable var senderId: WireID?
        @Nullable var sentAt: Date?
        @Nullable var editedAt: Date?
        let attachments: [File]
        @Nullable var comment: String?

        init(_ evidence: Reports.Evidence) {
            text = evidence.text
            senderId = evidence.sender.map { WireID($0) }
            sentAt = evidence.sentAt
            editedAt = evidence.editedAt
            attachments = evidence.files?.map { File($0) } ?? []
            comment = evidence.comment
        }
    }

    /// A file of the message that is reported.
    struct File: Codable, Hashable, Sendable {
        let id: WireID
        let kind: String
        @Nullable var name: String?
        let contentType: String
        let bytes: Int64

        init(_ file: AttachedFile) {
            id = WireID(file.id)
            kind = file.kind.rawValue
            name = file.name
            contentType = file.contentType
            bytes = file.bytes
        }
    }

    struct Action: Codable, Hashable, Sendable {
        let at: Date
        let `operator`: String
        /// null where a newer program knows what it was.
        @Nullable var action: String?
        @Nullable var note: String?

        init(_ action: Reports.Action) {
            at = action.at
            `operator` = action.operator
            self.action = action.kind?.rawValue
            note = action.note
        }
    }

    init(_ entry: Reports.Entry, evidence: Reports.Evidence? = nil, actions: [Reports.Action]? = nil) {
        id = WireID(entry.id)
        createdAt = entry.createdAt
        reason = entry.reason
        reporter = Someone(entry.reporter)
        person = entry.person.map { Someone($0) }
        conversationId = entry.conversation.map { WireID($0) }
        messageId = entry.message.map { WireID($0) }
        closedAt = entry.closedAt
        self.evidence = evidence.map { Evidence($0) }
        self.actions = actions?.map { Action($0) }
    }
}
